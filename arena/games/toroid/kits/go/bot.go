// A first Toroid Wars bot: change it until it wins.
package main

// MyBot lets a country that has gathered eight units attack a foreign neighbour; the others build.
type MyBot struct{}

// Act says what a country does. (Would a look at the neighbour first, by Scout, be better?)
func (MyBot) Act(game *Game, country *Country) Action {
	if country.Units >= 8 {
		force := country.Units - 1 // one stays at home
		if force > game.MaxAttackUnits {
			force = game.MaxAttackUnits
		}
		if game.Left(country).Owner != game.Me {
			return Attack(OnLeft, force)
		}
		if game.Right(country).Owner != game.Me {
			return Attack(OnRight, force)
		}
	}
	if country.Units < game.MaxResidentUnits {
		return Build()
	}
	return Wait()
}

func main() {
	Play(MyBot{})
}
