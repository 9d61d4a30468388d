// Trade and War (TNCC) as typed state. Play reads the lines of the protocol and asks your bot.
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

// Country is what a player has. Nothing is hidden.
type Country struct {
	Name                                   string
	Gold, Food, Population, Military, Land int
	Alive                                  bool
}

// Offer is a trade that another country proposes: you get the first amount, and give the second.
type Offer struct {
	Country    *Country
	YouGet     string
	GetAmount  int
	YouGive    string
	GiveAmount int
}

// Flanks are the soldiers on the three flanks of a war: left, middle, right.
type Flanks [3]int

// News is something that another country did: "player1", "recruit", "100".
type News []string

// Entry is news with its cycle.
type Entry struct {
	Round int
	News  News
}

// Game is everything that your bot was told so far.
type Game struct {
	Settings   map[string]string // every setting by its name, as it came
	Me         string
	Players    []string // in the order of their turns
	Countries  map[string]*Country
	GoldForWar int
	Round      int      // the cycle, from 1
	TimeBank   int      // the milliseconds that you have for the present request
	News       []News   // what others did since your last request
	Chronicle  []Entry  // all news of the match
	Result     []string // of your last action: "trade", "yes"; or "illegal", "funds"
	Rank       int      // your rank, once the match is over for you
}

// Mine returns your country.
func (game *Game) Mine() *Country { return game.Countries[game.Me] }

// Others returns the countries that still live, but for yours, in the order of their turns.
func (game *Game) Others() []*Country {
	var found []*Country
	for _, name := range game.Players {
		if one := game.Countries[name]; one.Alive && name != game.Me {
			found = append(found, one)
		}
	}
	return found
}

// Action is what your country does in a cycle.
type Action string

// Wait does nothing.
func Wait() Action { return "wait" }

// Recruit makes soldiers of citizens; a negative number makes citizens of soldiers.
func Recruit(citizens int) Action { return Action(fmt.Sprint("recruit ", citizens)) }

// Trade offers an amount of the resource give for a price of take; one of the two is gold.
func Trade(country *Country, give string, amount int, take string, price int) Action {
	return Action(fmt.Sprintf("trade %s %s %d %s %d", country.Name, give, amount, take, price))
}

// War attacks a country. It costs game.GoldForWar.
func War(country *Country, flanks Flanks) Action {
	return Action("war " + country.Name + " " + flanks.String())
}

// String is the flanks as the protocol has them.
func (flanks Flanks) String() string { return fmt.Sprintf("%d %d %d", flanks[0], flanks[1], flanks[2]) }

// Thirds puts as many soldiers on each flank, the rest in the middle and on the right.
func Thirds(soldiers int) Flanks { return Flanks{soldiers / 3, (soldiers + 1) / 3, (soldiers + 2) / 3} }

// Bot is what your bot answers.
type Bot interface {
	// Act returns your action of this cycle: made by Wait, Recruit, Trade or War.
	Act(game *Game) Action
	// Accept says whether you take the offer of another country.
	Accept(game *Game, offer Offer) bool
	// Defend says how your soldiers stand when an attacker comes with so many in all.
	Defend(game *Game, attacker *Country, soldiers int) Flanks
}

// Play plays one match, until the input ends.
func Play(bot Bot) {
	game := &Game{Settings: map[string]string{}, Countries: map[string]*Country{}, GoldForWar: 1600}
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		words := strings.Fields(line)
		if words[0] != "go" {
			game.hear(words[0], words[1:])
			continue
		}
		game.TimeBank = number(words[2])
		fmt.Println(game.answer(bot, words[1], words[3:]))
	}
}

func (game *Game) answer(bot Bot, request string, words []string) string {
	switch request {
	case "trade":
		country := game.Countries[words[0]]
		if bot.Accept(game, Offer{country, words[1], number(words[2]), words[3], number(words[4])}) {
			return "yes"
		}
		return "no"
	case "war":
		return bot.Defend(game, game.Countries[words[0]], number(words[1])).String()
	}
	return string(bot.Act(game))
}

func (game *Game) hear(kind string, words []string) {
	switch kind {
	case "settings":
		game.set(words[0], words[1:])
	case "round":
		game.Round = number(words[0])
	case "update_map":
		for i := 0; i+6 < len(words); i += 7 {
			one := game.Countries[words[i]]
			one.Gold, one.Food, one.Population = number(words[i+1]), number(words[i+2]), number(words[i+3])
			one.Military, one.Land, one.Alive = number(words[i+4]), number(words[i+5]), words[i+6] == "alive"
		}
	case "opponent_moves":
		game.remember(words)
	case "result":
		game.Result = words
	case "game_over":
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
		for _, name := range values {
			game.Countries[name] = &Country{Name: name, Alive: true}
		}
	case "gold_for_war":
		game.GoldForWar = number(values[0])
	}
}

// remember cuts the words where an action begins: at a name behind which one of the four verbs stands.
func (game *Game) remember(words []string) {
	game.News = nil
	verbs := map[string]bool{"wait": true, "recruit": true, "trade": true, "war": true}
	for i, word := range words {
		if game.Countries[word] != nil && i+1 < len(words) && verbs[words[i+1]] {
			game.News = append(game.News, nil)
		}
		last := len(game.News) - 1
		game.News[last] = append(game.News[last], word)
	}
	for _, one := range game.News {
		game.Chronicle = append(game.Chronicle, Entry{game.Round, one})
	}
}

func number(word string) int {
	value, _ := strconv.Atoi(strings.SplitN(word, ".", 2)[0])
	return value
}
