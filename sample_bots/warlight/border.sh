#!/bin/sh
# border.sh - a Warlight bot in plain POSIX shell: the mason who builds a wall and moves it slowly.
#
# Strategy: a wall first. Every border region shall hold as much as all opponents next to it; up to
# half of the income goes into the lowest stones. The rest buys neutral land, the super region with
# the best bonus for its price first. It strikes the opponent only where it is far superior. Armies
# inside the land walk to the nearest piece of border.
#
# It starts no other program, so it is quick. A shell has no arrays: the owner of region 7 is the
# variable owner_7, reached through `eval`.

set -f # a * in a line is no file name
me=player1 foe=player2 income=5 regions='' supers='' mine=''

# enough N: sets $size to the attackers that take a region from N defenders.
enough() {
    case $1 in 1) size=2 ;; 2 | 3) size=$((2 * $1 - 1)) ;; *) size=$(((7 * $1 + 3) / 4)) ;; esac
}

# place REGION N and move FROM TO N write the orders down and keep the books.
place() {
    placed="$placed, $me place_armies $1 $2" income=$((income - $2))
    eval "armies_$1=\$((armies_$1 + $2)) free_$1=\$((free_$1 + $2))"
}
move() { moves="$moves, $me attack/transfer $1 $2 $3"; eval "free_$1=\$((free_$1 - $3))"; }

# best_super: sets $best to the super region in $open with the most bonus for its price.
best_super() {
    best='' top=-1
    for s in $open; do
        eval "rate=\$((100 * bonus_$s / (price_$s + 1)))"
        [ "$rate" -gt "$top" ] && best=$s top=$rate
    done
}

# grow REGION: takes a neutral region from our best place beside it, if the purse can pay for it.
grow() {
    eval "enough \$armies_$1; beside=\$near_$1"
    from='' most=-999
    for r in $beside; do
        eval "o=\$owner_$r spare=\$((free_$r - keep_$r))"
        [ "$o" = "$me" ] && [ "$spare" -gt "$most" ] && from=$r most=$spare
    done
    short=$((size > most ? size - most : 0))
    [ "$from" ] && [ "$short" -le "$income" ] || return
    [ "$short" -gt 0 ] && place "$from" "$short"; move "$from" "$1" "$size"
}

plan() {
    placed='' moves='' border='' quiet='' open=$supers; [ "$mine" ] || return
    # 1. Survey: what super regions cost, where the border is, what stands on the other side.
    for s in $supers; do eval "price_$s=0"; done
    for r in $regions; do
        eval "o=\$owner_$r s=\$home_$r beside=\$near_$r; enough \$armies_$r"
        [ "$o" = "$me" ] || { eval "price_$s=\$((price_$s + size))"; continue; }
        threat=0 rim=''
        for t in $beside; do
            eval "o=\$owner_$t n=\$armies_$t"
            case $o in "$me") ;; "$foe") threat=$((threat + n)) rim=1 ;; *) rim=1 ;; esac
        done
        eval "free_$r=\$((armies_$r - 1)) keep_$r=$((threat / 2)) threat_$r=$threat reached_$r=$rim"
        case $threat,$rim in 0,) ;; 0,1) quiet="$quiet $r" ;; *) border="$border $r" ;; esac
    done
    # 2. The wall: raise the piece that is lowest against what faces it, again and again.
    purse=$((income / 2))
    while [ "$purse" -gt 0 ]; do
        low='' most=0
        for r in $border; do
            eval "gap=\$((threat_$r - armies_$r))"
            [ "$gap" -gt "$most" ] && low=$r most=$gap
        done
        [ "$low" ] || break; stones=$((most < purse ? most : (purse + 1) / 2))
        place "$low" "$stones"; purse=$((purse - stones))
    done
    # 3. Growth: neutral land, the best super region first.
    while [ "$open" ]; do
        best_super; eval "parts=\$parts_$best"
        for t in $parts; do eval "o=\$owner_$t"; [ "$o" = neutral ] && grow "$t"; done; rest=''
        for s in $open; do [ "$s" = "$best" ] || rest="$rest $s"; done; open=$rest
    done
    # 4. What is left goes where we are next to breaking through. Then strike with twice the force.
    from='' most=-99999
    for r in $border $quiet; do
        eval "beside=\$near_$r"
        for t in $beside; do
            eval "o=\$owner_$t lead=\$((free_$r - 2 * armies_$t))"
            [ "$o" != "$me" ] && [ "$lead" -gt "$most" ] && from=$r most=$lead
        done
    done
    [ "$from" ] && [ "$income" -gt 0 ] && place "$from" "$income"
    for r in $border; do
        eval "beside=\$near_$r"
        for t in $beside; do
            eval "o=\$owner_$t f=\$free_$r n=\$armies_$t"
            [ "$o" = "$foe" ] && [ "$f" -gt $((2 * n)) ] && move "$r" "$t" $((f - (f - 2 * n) / 2))
        done
    done
    # 5. Inside: a wave from the border over our land; whom it reaches walks towards where it came.
    set -- $border $quiet
    while [ $# -gt 0 ]; do
        eval "beside=\$near_$1"
        for t in $beside; do
            eval "o=\$owner_$t r=\$reached_$t f=\$free_$t"
            [ "$o" = "$me" ] && [ -z "$r" ] || continue
            eval "reached_$t=1"; set -- "$@" "$t"
            [ "$f" -gt 0 ] && move "$t" "$1" "$f"
        done
        shift
    done
}

while read -r line; do
    set -- $line
    case $line in
        'settings your_bot '*) me=$3 ;;
        'settings opponent_bot '*) foe=$3 ;;
        'settings starting_armies '*) income=$3 ;;
        'setup_map super_regions '*) shift 2
            while [ $# -gt 1 ]; do supers="$supers $1"; eval "bonus_$1=$2 parts_$1="; shift 2; done ;;
        'setup_map regions '*) shift 2
            while [ $# -gt 1 ]; do
                eval "home_$1=$2 parts_$2=\"\$parts_$2 $1\" owner_$1=neutral armies_$1=2 near_$1=''"
                regions="$regions $1"; shift 2
            done ;;
        'setup_map neighbors '*) shift 2; IFS=', '
            while [ $# -gt 1 ]; do
                for t in $2; do eval "near_$1=\"\$near_$1 $t\" near_$t=\"\$near_$t $1\""; done
                shift 2
            done; unset IFS ;;
        'setup_map wastelands '*) shift 2; for r; do eval "armies_$r=6"; done ;;
        update_map*)
            for r in $mine; do eval "owner_$r=$foe"; done # unless the line says: still ours
            mine=''; shift
            while [ $# -gt 2 ]; do
                eval "owner_$1=$2 armies_$1=$3"
                [ "$2" = "$me" ] && mine="$mine $1"; shift 3
            done ;;
        'pick_starting_region '*)
            for s in $supers; do
                eval "parts=\$parts_$s price_$s=0"
                for r in $parts; do eval "enough \$armies_$r; price_$s=\$((price_$s + size))"; done
            done
            shift 2; open=''
            for r; do eval "s=\$home_$r; open=\"\$open $s\" door_$s=$r"; done
            best_super; eval "echo \$door_$best" ;;
        'go place_armies '*) plan; placed=${placed#, }; echo "${placed:-No moves}" ;;
        'go attack/transfer '*) moves=${moves#, }; echo "${moves:-No moves}" ;;
    esac
done
