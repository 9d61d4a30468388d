// The moment in the address of the page: `#match=2&round=34&view=player1`.

/** What the address says: {match, round, view}; what is missing or makes no sense is null. */
arena.readAddress = () => {
  const words = new URLSearchParams(location.hash.slice(1));
  const number = (name) => {
    const value = words.get(name);
    return value !== null && /^\d{1,9}$/.test(value) ? Number(value) : null;
  };
  const seat = /^player([1-9]\d?)$/.exec(words.get("view") || "");
  return {
    match: number("match"),
    round: number("round"),
    seat: seat ? Number(seat[1]) - 1 : null,
  };
};

/** Write it, without a new entry in the history where the browser allows that. */
arena.writeAddress = ({ match, round, seat }) => {
  const words = [
    ...(match === null ? [] : [`match=${match}`]),
    ...(round === null ? [] : [`round=${round}`]),
    ...(seat === null ? [] : [`view=player${seat + 1}`]),
  ];
  const hash = `#${words.join("&")}`;
  if (hash === location.hash) return;
  try {
    history.replaceState(null, "", hash);
  } catch {
    location.hash = hash;
  }
};
