// A first Warlight bot: change it until it wins.
package main

// MyBot strengthens its borders in turn, and attacks where it is three times as strong.
type MyBot struct{}

// Pick takes the first that is left. (Would one in a small super region be better?)
func (MyBot) Pick(game *Game, choices []*Region) *Region {
	return choices[0]
}

// Place gives all new armies to one region that has a foreign neighbour, another one each round.
func (MyBot) Place(game *Game) []Placement {
	var border []*Region
	for _, region := range game.Mine() {
		if len(game.Foreign(region)) > 0 {
			border = append(border, region)
		}
	}
	if len(border) == 0 {
		return nil
	}
	return []Placement{{border[game.Round%len(border)], game.NewArmies}}
}

// Move sends three armies for each army of the weakest foreign neighbour of each region.
func (MyBot) Move(game *Game) []Move {
	var moves []Move
	for _, region := range game.Mine() {
		weakest := weakest(game.Foreign(region))
		if weakest != nil && 3*weakest.Armies < region.Armies { // one army stays at home
			moves = append(moves, Move{region, weakest, 3 * weakest.Armies})
		}
	}
	return moves
}

func weakest(regions []*Region) *Region {
	var best *Region
	for _, one := range regions {
		if best == nil || one.Armies < best.Armies || one.Armies == best.Armies && one.ID < best.ID {
			best = one
		}
	}
	return best
}

func main() {
	Play(MyBot{})
}
