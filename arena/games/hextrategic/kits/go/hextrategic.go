// Hextrategic as typed state. Play reads the lines of the protocol and asks your bot.
//
// You need not change this file. Lines that it does not know are ignored: a later arena may send more.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Cell is a hexagon of the board, at Q and R. Nothing is hidden: Owner and Units are exact.
type Cell struct {
	ID, Q, R   int
	Kind       string // normal, bronze, silver or gold
	Neighbours []*Cell
	Owner      string
	Units      int
	Auto       *Cell // where your standing order sends all units of this cell
}

// Move is what another player's units did in the last round.
type Move struct {
	Player         string
	Source, Target *Cell
	Units          int
}

// Dropped is an order of your last answer that was dropped: its number, from 1, and why.
type Dropped struct {
	Number int
	Why    string
}

// Game is everything that your bot was told so far.
type Game struct {
	Settings      map[string]string // every setting by its name, as it came
	Me            string
	Players       []string
	Income        map[string]int // the units that a cell earns in a round, by its kind
	Round         int            // from 1
	TimeBank      int            // the milliseconds that you have for the present request
	Cells         []*Cell        // all cells by their number
	OpponentMoves []Move
	Dropped       []Dropped
	Rank          int // your position, once the match is over for you
}

// Mine returns your cells, ascending.
func (game *Game) Mine() []*Cell {
	var found []*Cell
	for _, cell := range game.Cells {
		if cell.Owner == game.Me {
			found = append(found, cell)
		}
	}
	return found
}

// Foreign returns the neighbours of a cell that are not yours.
func (game *Game) Foreign(cell *Cell) []*Cell {
	var found []*Cell
	for _, other := range cell.Neighbours {
		if other.Owner != game.Me {
			found = append(found, other)
		}
	}
	return found
}

// Orders are the orders of one round, in the order in which you give them.
type Orders struct{ lines []string }

func (orders *Orders) add(form string, values ...any) {
	orders.lines = append(orders.lines, fmt.Sprintf(form, values...))
}

// Move sends units to a neighbour, in this round.
func (orders *Orders) Move(source, target *Cell, units int) {
	orders.add("move %d %d %d", source.ID, target.ID, units)
}

// Auto sends what is left in a cell to a neighbour in every round from now on.
func (orders *Orders) Auto(source, target *Cell) {
	source.Auto = target
	orders.add("auto %d %d", source.ID, target.ID)
}

// Stop ends the standing order of a cell.
func (orders *Orders) Stop(source *Cell) {
	source.Auto = nil
	orders.add("stop %d", source.ID)
}

// Surrender leaves the match.
func (orders *Orders) Surrender() { orders.add("surrender") }

// Text is the line to send.
func (orders *Orders) Text() string {
	if len(orders.lines) == 0 {
		return "No moves"
	}
	return strings.Join(orders.lines, ", ")
}

// Bot is what your bot answers.
type Bot interface {
	// Act gives the orders of this round.
	Act(game *Game, orders *Orders)
}

// Play plays one match, until the input ends.
func Play(bot Bot) {
	game := &Game{Settings: map[string]string{}, Income: map[string]int{}}
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		words := strings.Fields(line)
		if words[0] == "go" {
			game.TimeBank = number(words[2])
			orders := &Orders{}
			bot.Act(game, orders)
			game.Dropped = nil
			fmt.Println(orders.Text())
		} else {
			game.hear(words[0], words[1:])
		}
	}
}

func (game *Game) hear(kind string, words []string) {
	switch {
	case kind == "settings":
		game.set(words[0], words[1:])
	case kind == "setup_map" && words[0] == "cells":
		for i := 1; i+3 < len(words); i += 4 {
			cell := &Cell{ID: number(words[i]), Q: number(words[i+1]), R: number(words[i+2]), Kind: words[i+3]}
			game.Cells = append(game.Cells, cell)
		}
	case kind == "setup_map" && words[0] == "neighbors": // each link once: add it on both sides
		for i := 1; i+1 < len(words); i += 2 {
			cell := game.cell(words[i])
			for _, id := range strings.Split(words[i+1], ",") {
				other := game.cell(id)
				cell.Neighbours = append(cell.Neighbours, other)
				other.Neighbours = append(other.Neighbours, cell)
			}
		}
	case kind == "round":
		game.Round = number(words[0])
	case kind == "update_map":
		for i := 0; i+2 < len(words); i += 3 {
			game.see(game.cell(words[i]), words[i+1], number(words[i+2]))
		}
	case kind == "opponent_moves":
		game.OpponentMoves = nil
		for i := 0; i+4 < len(words); i += 5 {
			move := Move{words[i], game.cell(words[i+2]), game.cell(words[i+3]), number(words[i+4])}
			game.OpponentMoves = append(game.OpponentMoves, move)
		}
	case kind == "result":
		game.Dropped = append(game.Dropped, Dropped{number(words[0]), words[2]})
	case kind == "game_over":
		game.Rank = number(words[0])
	}
}

func (game *Game) set(key string, values []string) {
	game.Settings[key] = strings.Join(values, " ")
	switch key {
	case "your_bot":
		game.Me = values[0]
	case "players":
		game.Players = values
	case "income":
		for i, kind := range []string{"normal", "bronze", "silver", "gold"} {
			game.Income[kind] = number(values[i])
		}
	}
}

func (game *Game) see(cell *Cell, owner string, units int) {
	cell.Owner, cell.Units = owner, units
	if owner != game.Me {
		cell.Auto = nil // a standing order ends with the loss of its cell
	}
}

func (game *Game) cell(id string) *Cell { return game.Cells[number(id)] }

func number(word string) int {
	value, _ := strconv.Atoi(word)
	return value
}
