// A first bot for Trade and War: change it until it wins.
package main

// MyBot keeps one soldier for every ten citizens, never trades, and begins no war.
type MyBot struct{}

// Act recruits when there are too few soldiers. (What could the gold buy?)
func (MyBot) Act(game *Game) Action {
	if mine := game.Mine(); mine.Military < mine.Population/10 {
		return Recruit(mine.Population / 20)
	}
	return Wait()
}

// Accept takes what costs nothing.
func (MyBot) Accept(game *Game, offer Offer) bool {
	return offer.GiveAmount == 0
}

// Defend uses all soldiers, a third on each flank.
func (MyBot) Defend(game *Game, attacker *Country, soldiers int) Flanks {
	return Thirds(game.Mine().Military)
}

func main() {
	Play(MyBot{})
}
