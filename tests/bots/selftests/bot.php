<?php
echo "ready\n";
echo "heard " . fgets(STDIN);
stream_get_contents(STDIN);
