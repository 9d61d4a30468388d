// A first Hextrategic bot: change it until it wins.
package main

// MyBot lets a cell attack its weakest foreign neighbour with all its units, if it is stronger.
type MyBot struct{}

// Act makes one move for each cell that can win. (What could the cells inside do for the border?)
func (MyBot) Act(game *Game, orders *Orders) {
	for _, cell := range game.Mine() {
		weakest := weakest(game.Foreign(cell))
		if weakest != nil && cell.Units > weakest.Units {
			orders.Move(cell, weakest, cell.Units)
		}
	}
}

func weakest(cells []*Cell) *Cell {
	var best *Cell
	for _, one := range cells {
		if best == nil || one.Units < best.Units || one.Units == best.Units && one.ID < best.ID {
			best = one
		}
	}
	return best
}

func main() {
	Play(MyBot{})
}
