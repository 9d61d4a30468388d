const lines = require("readline").createInterface({ input: process.stdin });
console.log("ready");
lines.once("line", (line) => console.log("heard " + line));
