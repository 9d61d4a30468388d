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
	game := &Game{
		Settings: map[string]string{}, Me: "player1", Opponent: "player2", NewArmies: 5,
		SuperRegions: map[int]*SuperRegion{}, Regions: map[int]*Region{},
	}
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		words := strings.Fields(line)
		switch {
		case words[0] == "pick_starting_region":
			game.TimeBank = number(words[1])
			fmt.Println(bot.Pick(game, game.all(words[2:])).ID)
		case words[0] == "go" && words[1] == "place_armies":
			game.TimeBank = number(words[2])
			game.answerPlacements(bot.Place(game))
		case words[0] == "go":
			game.TimeBank = number(words[2])
			game.answerMoves(bot.Move(game))
		default:
			game.hear(words[0], words[1:])
		}
	}
}

func (game *Game) answerPlacements(placements []Placement) {
	var orders []string
	for _, one := range placements {
		one.Region.Armies += one.Armies // your move will find them there
		orders = append(orders, fmt.Sprintf("%s place_armies %d %d", game.Me, one.Region.ID, one.Armies))
	}
	answer(orders)
}

func (game *Game) answerMoves(moves []Move) {
	var orders []string
	for _, one := range moves {
		orders = append(orders, fmt.Sprintf("%s attack/transfer %d %d %d", game.Me, one.Source.ID, one.Target.ID, one.Armies))
	}
	answer(orders)
}

func answer(orders []string) {
	if len(orders) == 0 {
		orders = []string{"No moves"}
	}
	fmt.Println(strings.Join(orders, ", "))
}

func (game *Game) hear(kind string, words []string) {
	switch {
	case kind == "settings":
		game.set(words[0], strings.Join(words[1:], " "))
	case kind == "setup_map" && words[0] == "super_regions":
		for i := 1; i+1 < len(words); i += 2 {
			game.SuperRegions[number(words[i])] = &SuperRegion{ID: number(words[i]), Bonus: number(words[i+1])}
		}
	case kind == "setup_map" && words[0] == "regions":
		for i := 1; i+1 < len(words); i += 2 {
			home := game.SuperRegions[number(words[i+1])]
			region := &Region{ID: number(words[i]), SuperRegion: home}
			game.Regions[region.ID] = region
			game.Order = append(game.Order, region)
			home.Regions = append(home.Regions, region)
		}
	case kind == "setup_map" && words[0] == "neighbors": // each link once: add it on both sides
		for i := 1; i+1 < len(words); i += 2 {
			region := game.Regions[number(words[i])]
			for _, other := range game.all(strings.Split(words[i+1], ",")) {
				region.Neighbours = append(region.Neighbours, other)
				other.Neighbours = append(other.Neighbours, region)
			}
		}
	case kind == "setup_map" && words[0] == "wastelands":
		for _, region := range game.all(words[1:]) {
			region.Wasteland = true
		}
	case kind == "setup_map" && words[0] == "opponent_starting_regions":
		game.OpponentPicks = game.all(words[1:])
	case kind == "update_map":
		game.see(words)
	case kind == "opponent_moves":
		game.remember(words)
	}
}

func (game *Game) set(key, value string) {
	game.Settings[key] = value
	switch key {
	case "your_bot":
		game.Me = value
	case "opponent_bot":
		game.Opponent = value
	case "starting_armies": // the first line of a round
		game.NewArmies = number(value)
		game.Round++
	}
}

func (game *Game) see(words []string) {
	for _, region := range game.Order {
		region.Visible = false
		if region.Owner == game.Me {
			region.Owner = game.Opponent // unless it is told now, it was lost
		}
	}
	for i := 0; i+2 < len(words); i += 3 {
		region := game.Regions[number(words[i])]
		region.Owner, region.Armies, region.Visible = words[i+1], number(words[i+2]), true
	}
}

func (game *Game) remember(words []string) {
	game.OpponentPlaced, game.OpponentMoved = nil, nil
	for len(words) > 0 {
		region, other := game.Regions[number(words[2])], number(words[3])
		if words[1] == "place_armies" {
			game.OpponentPlaced = append(game.OpponentPlaced, Placement{region, other})
			words = words[4:]
		} else {
			game.OpponentMoved = append(game.OpponentMoved, Move{region, game.Regions[other], number(words[4])})
			words = words[5:]
		}
	}
}

func (game *Game) all(ids []string) []*Region {
	found := make([]*Region, len(ids))
	for i, id := range ids {
		found[i] = game.Regions[number(id)]
	}
	return found
}

func number(word string) int {
	value, _ := strconv.Atoi(word)
	return value
}
