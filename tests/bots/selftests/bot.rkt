#lang racket/base
(displayln "ready")
(flush-output)
(printf "heard ~a\n" (read-line))
(flush-output)
(let wait () (unless (eof-object? (read-line)) (wait)))
