// A first Code Character bot: change it until it wins.
package main

// MyBot lets each soldier attack the enemy soldier that is nearest to it, and spends no money.
type MyBot struct{}

// Update gives the orders of one turn. (What could the money build, on game.FreeTiles()?)
func (MyBot) Update(game *Game, orders *Orders) {
	enemies := game.Enemies()
	for _, soldier := range game.MySoldiers() {
		if enemy := nearest(soldier, enemies); enemy != nil {
			orders.Attack(soldier, &enemy.Piece)
		}
	}
}

func nearest(soldier *Soldier, enemies []*Soldier) *Soldier {
	var best *Soldier
	for _, one := range enemies { // ascending: of two as near, the first
		if best == nil || soldier.Distance2(&one.Piece) < soldier.Distance2(&best.Piece) {
			best = one
		}
	}
	return best
}

func main() {
	Play(MyBot{})
}
