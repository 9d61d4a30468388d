# The least bot of Warlight, for tests of commands: it takes the first region and then does nothing.
# It starts in a tenth of the time that Python takes.
while read -r head first; do
    case $head in
        pick_starting_region) set -- $first; echo "$2";;
        go) echo "No moves";;
    esac
done
