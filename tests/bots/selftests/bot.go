package main

import (
	"bufio"
	"fmt"
	"os"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	fmt.Println("ready")
	lines.Scan()
	fmt.Println("heard", lines.Text())
	for lines.Scan() {
	}
}
