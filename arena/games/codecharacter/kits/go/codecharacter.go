// Code Character as typed state: what your bot is told, and what it answers.
//
// You see your own base in the upper left, whichever player you are. You need not change this file.
package main

import (
	"fmt"
	"math"
	"strings"
)

// Piece is what soldiers and towers share: a place, in units from the upper left corner.
type Piece struct {
	ID    int
	Owner string
	X, Y  float64
	HP    int
}

// Soldier has a State: idle, move, pursuit, attack or dead.
type Soldier struct {
	Piece
	State  string
	Immune bool
}

// Alive says whether it can be ordered and attacked.
func (soldier *Soldier) Alive() bool { return soldier.State != "dead" }

// Tower is a tower. The base is one, and cannot be attacked.
type Tower struct {
	Piece
	Level int
	Base  bool
}

// Tile is a tile of the map.
type Tile struct{ X, Y int }

// Distance2 is the square of the distance: enough to find what is nearest.
func (piece *Piece) Distance2(other *Piece) float64 {
	return (piece.X-other.X)*(piece.X-other.X) + (piece.Y-other.Y)*(piece.Y-other.Y)
}

// Refused is an order of your last answer that did not count: its number, from 1, and why.
type Refused struct {
	Number int
	Why    string
}

// Game is everything that your bot was told so far.
type Game struct {
	Settings                             map[string]string // every setting by its name, as it came
	Me                                   string
	Round                                int // the turn, from 1
	TimeBank                             int // the milliseconds that you have for the present request
	Money, TileSize, MaxTowers, MaxLevel int
	TowerCosts                           []int      // what a tower costs, and each further level
	Soldiers                             []*Soldier // all soldiers, your own first
	Towers                               []*Tower
	Territory                            []string // rows: . no player's tile, m yours, e the enemy's, b of both
	Refused                              []Refused
	Rank                                 int // your rank, once the match is over
}

// MySoldiers returns your living soldiers.
func (game *Game) MySoldiers() []*Soldier { return game.living(true) }

// Enemies returns the enemy's living soldiers.
func (game *Game) Enemies() []*Soldier { return game.living(false) }

func (game *Game) living(mine bool) []*Soldier {
	var found []*Soldier
	for _, one := range game.Soldiers {
		if (one.Owner == game.Me) == mine && one.Alive() {
			found = append(found, one)
		}
	}
	return found
}

// MyTowers returns your towers, the base among them.
func (game *Game) MyTowers() []*Tower {
	var found []*Tower
	for _, one := range game.Towers {
		if one.Owner == game.Me {
			found = append(found, one)
		}
	}
	return found
}

// Tile returns the tile that has this place.
func (game *Game) Tile(x, y float64) Tile {
	return Tile{int(x) / game.TileSize, int(y) / game.TileSize}
}

// FreeTiles returns the tiles on which you may build, row by row: yours alone, without a tower.
func (game *Game) FreeTiles() []Tile {
	taken := map[Tile]bool{}
	for _, tower := range game.MyTowers() {
		taken[game.Tile(tower.X, tower.Y)] = true
	}
	var found []Tile
	for y, row := range game.Territory {
		for x, mark := range row {
			if mark == 'm' && !taken[Tile{x, y}] {
				found = append(found, Tile{x, y})
			}
		}
	}
	return found
}

// Orders are the orders of one turn.
type Orders struct{ lines []string }

func (orders *Orders) add(words ...any) {
	orders.lines = append(orders.lines, strings.TrimSuffix(fmt.Sprintln(words...), "\n"))
}

// Move walks to a place.
func (orders *Orders) Move(soldier *Soldier, x, y float64) {
	orders.add("move", soldier.ID, math.Round(x*1000)/1000, math.Round(y*1000)/1000)
}

// Attack follows an enemy and attacks it, also in the turns to come.
func (orders *Orders) Attack(soldier *Soldier, target *Piece) {
	orders.add("attack", soldier.ID, target.ID)
}

// Build makes a new tower on a tile.
func (orders *Orders) Build(tile Tile) { orders.add("build", tile.X, tile.Y) }

// Upgrade brings a tower to its next level.
func (orders *Orders) Upgrade(tower *Tower) { orders.add("upgrade", tower.ID) }

// Suicide gives a tower up, for a part of its price.
func (orders *Orders) Suicide(tower *Tower) { orders.add("suicide", tower.ID) }

// Bot is what your bot answers.
type Bot interface {
	// Update gives the orders of this turn. Soldiers without a new order go on with their old one.
	Update(game *Game, orders *Orders)
}
