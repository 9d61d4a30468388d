input <- file("stdin", "r")
cat("ready\n")
cat("heard", readLines(input, 1), "\n", sep = " ")
invisible(readLines(input))
