// Warlight as typed state: what your bot is told, and what it answers.
//
// You need not change this file.
package main

// SuperRegion has regions that earn Bonus armies a round for the player that has all of them.
type SuperRegion struct {
	ID, Bonus int
	Regions   []*Region
}

// Region is a region of the map. Owner and Armies are as you last saw them; "" means never seen.
type Region struct {
	ID          int
	SuperRegion *SuperRegion
	Neighbours  []*Region
	Wasteland   bool
	Owner       string
	Armies      int
	Visible     bool
}

// Placement puts new armies into a region of yours.
type Placement struct {
	Region *Region
	Armies int
}

// Move sends armies to a neighbour, as an attack, or to join it when it is yours. One army stays.
type Move struct {
	Source, Target *Region
	Armies         int
}

// Game is everything that your bot was told so far.
type Game struct {
	Settings       map[string]string // every setting by its name, as it came
	Me, Opponent   string
	NewArmies      int // the armies that you may place in this round
	Round          int // from 1; 0 while regions are picked
	TimeBank       int // the milliseconds that you have for the present request
	SuperRegions   map[int]*SuperRegion
	Regions        map[int]*Region
	Order          []*Region // all regions, ascending
	OpponentPicks  []*Region
	OpponentPlaced []Placement // what you saw of the opponent's last round
	OpponentMoved  []Move
}

// Mine returns your regions, ascending.
func (game *Game) Mine() []*Region {
	var found []*Region
	for _, region := range game.Order {
		if region.Owner == game.Me {
			found = append(found, region)
		}
	}
	return found
}

// Foreign returns the neighbours of a region that are not yours.
func (game *Game) Foreign(region *Region) []*Region {
	var found []*Region
	for _, other := range region.Neighbours {
		if other.Owner != game.Me {
			found = append(found, other)
		}
	}
	return found
}

// Bot is what your bot answers.
type Bot interface {
	// Pick returns a region to start from.
	Pick(game *Game, choices []*Region) *Region
	// Place says where the new armies go, game.NewArmies in all.
	Place(game *Game) []Placement
	// Move returns attacks and transfers, in the order in which they are to happen.
	Move(game *Game) []Move
}
