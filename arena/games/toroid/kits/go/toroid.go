// Toroid Wars as typed state. Play reads the lines of the protocol and asks your bot.
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

// Unknown are the units of a country that you do not see.
const Unknown = -1

// Country is a country of the ring. Owner and Units are as last told; "" means never told.
type Country struct {
	ID      int
	Owner   string
	Units   int
	Visible bool
}

// Deed is what an opponent did to one of your countries: Kind is attack or transfer; Outcome, of an
// attack, is conquer, victory or defeat.
type Deed struct {
	Player, Kind   string
	Source, Target *Country
	Units          int
	Outcome        string
}

// Game is everything that your bot was told so far.
type Game struct {
	Settings         map[string]string // every setting by its name, as it came
	Me               string
	Players          []string
	TurnOrder        []string
	MaxGameTurns     int
	MaxAttackUnits   int
	MaxTransferUnits int
	MaxResidentUnits int
	Round            int        // the game turn, from 1
	TimeBank         int        // the milliseconds that you have for the present request
	Ring             []*Country // by number; the last and the first are neighbours
	OpponentsDid     []Deed     // what was done to your countries since your last turn
	Result           []string   // of the last answer: "2", "illegal", "few_units"
	Rank             int        // your rank, once the match is over
}

// Left returns the neighbour with the next lower number.
func (game *Game) Left(country *Country) *Country {
	return game.Ring[(country.ID+len(game.Ring)-1)%len(game.Ring)]
}

// Right returns the neighbour with the next higher number.
func (game *Game) Right(country *Country) *Country {
	return game.Ring[(country.ID+1)%len(game.Ring)]
}

// Mine returns your countries, ascending.
func (game *Game) Mine() []*Country {
	var found []*Country
	for _, country := range game.Ring {
		if country.Owner == game.Me {
			found = append(found, country)
		}
	}
	return found
}

// Side is the side of a neighbour.
type Side string

// The two sides.
const (
	OnLeft  Side = "left"
	OnRight Side = "right"
)

// Action is what a country does.
type Action string

// Attack attacks a neighbour. One unit must stay at home.
func Attack(side Side, units int) Action { return Action(fmt.Sprintf("attack %s %d", side, units)) }

// Scout learns whose a neighbour is, and how many units it has.
func Scout(side Side) Action { return Action("scout " + side) }

// Transfer sends units to your own neighbour.
func Transfer(side Side, units int) Action { return Action(fmt.Sprintf("transfer %s %d", side, units)) }

// Build makes one more unit at the end of your turn.
func Build() Action { return "build" }

// Wait does nothing.
func Wait() Action { return "No moves" }

// Bot is what your bot answers.
type Bot interface {
	// Act says what a country, which is yours, does. After an illegal answer the same country is
	// asked once more.
	Act(game *Game, country *Country) Action
}

// Play plays one match, until the input ends.
func Play(bot Bot) {
	game := &Game{Settings: map[string]string{}}
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		words := strings.Fields(line)
		if words[0] == "go" {
			game.TimeBank = number(words[2])
			fmt.Println(bot.Act(game, game.Ring[number(words[3])]))
		} else {
			game.hear(words[0], words[1:])
		}
	}
}

func (game *Game) hear(kind string, words []string) {
	switch kind {
	case "settings":
		game.set(words[0], words[1:])
	case "setup_map":
		for _, id := range words[1:] {
			game.Ring = append(game.Ring, &Country{ID: number(id), Units: Unknown})
		}
	case "round":
		game.Round = number(words[0])
	case "update_map":
		game.see(words)
	case "opponent_moves":
		game.remember(words)
	case "result":
		game.Result = words
		if words[1] == "scout" {
			game.Ring[number(words[3])].Units = number(words[4])
		}
	case "game_over":
		game.Rank = number(words[0])
	}
}

func (game *Game) set(key string, values []string) {
	game.Settings[key] = strings.Join(values, " ")
	numbers := map[string]*int{
		"max_game_turns": &game.MaxGameTurns, "max_attack_units": &game.MaxAttackUnits,
		"max_transfer_units": &game.MaxTransferUnits, "max_resident_units": &game.MaxResidentUnits,
	}
	if field := numbers[key]; field != nil {
		*field = number(values[0])
	}
	switch key {
	case "your_bot":
		game.Me = values[0]
	case "players":
		game.Players = values
	case "turn_order":
		game.TurnOrder = values
	}
}

func (game *Game) see(words []string) {
	for _, country := range game.Ring {
		country.Visible = false
		if country.Owner == game.Me {
			country.Owner = "" // unless it is told now, it was lost
		}
	}
	for i := 0; i+2 < len(words); i += 3 {
		country := game.Ring[number(words[i])]
		country.Owner, country.Units, country.Visible = words[i+1], number(words[i+2]), true
	}
}

func (game *Game) remember(words []string) {
	game.OpponentsDid = nil
	for len(words) > 0 {
		source, target := game.Ring[number(words[2])], game.Ring[number(words[3])]
		deed := Deed{words[0], words[1], source, target, number(words[4]), ""}
		words = words[5:]
		if deed.Kind == "attack" {
			deed.Outcome, words = words[0], words[1:]
		}
		game.OpponentsDid = append(game.OpponentsDid, deed)
	}
}

func number(word string) int {
	value, _ := strconv.Atoi(word)
	return value
}
