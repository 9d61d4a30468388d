// The reader of the protocol: it keeps the state, and asks your bot. Lines that it does not know are
// ignored: a later arena may send more. You need not change this file.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
)

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
		if words[0] != "go" {
			game.hear(words[0], words[1:])
			continue
		}
		game.TimeBank = int(number(words[2]))
		orders := &Orders{}
		bot.Update(game, orders)
		game.Refused = nil
		if len(orders.lines) == 0 {
			orders.add("No moves")
		}
		fmt.Println(strings.Join(orders.lines, ", "))
	}
}

func (game *Game) hear(kind string, words []string) {
	switch {
	case kind == "settings":
		game.set(words[0], words[1:])
	case kind == "round":
		game.Round = int(number(words[0]))
	case kind == "result":
		game.Refused = append(game.Refused, Refused{int(number(words[0])), words[2]})
	case kind == "game_over":
		game.Rank = int(number(words[0]))
	case kind == "update_map" && words[0] == "soldiers":
		game.Soldiers = nil
		for i := 1; i+6 < len(words); i += 7 {
			game.Soldiers = append(game.Soldiers, &Soldier{piece(words[i:]), words[i+5], words[i+6] == "1"})
		}
	case kind == "update_map" && words[0] == "towers":
		game.Towers = nil
		for i := 1; i+6 < len(words); i += 7 {
			game.Towers = append(game.Towers, &Tower{piece(words[i:]), int(number(words[i+5])), words[i+6] == "1"})
		}
	case kind == "update_map" && words[0] == "territory":
		game.Territory = words[1:]
	}
}

func (game *Game) set(key string, values []string) {
	game.Settings[key] = strings.Join(values, " ")
	fields := map[string]*int{
		"money": &game.Money, "tile_size": &game.TileSize, "max_towers": &game.MaxTowers, "max_level": &game.MaxLevel,
	}
	if field := fields[key]; field != nil {
		*field = int(number(values[0]))
	} else if key == "your_bot" {
		game.Me = values[0]
	} else if key == "tower_costs" {
		for _, cost := range values {
			game.TowerCosts = append(game.TowerCosts, int(number(cost)))
		}
	}
}

func piece(words []string) Piece {
	return Piece{int(number(words[0])), words[1], number(words[2]), number(words[3]), int(number(words[4]))}
}

func number(word string) float64 {
	value, _ := strconv.ParseFloat(word, 64)
	return value
}
