declare function require(name: string): any;
declare const process: any;

const lines = require("readline").createInterface({ input: process.stdin });
console.log("ready");
lines.once("line", (line: string): void => console.log(`heard ${line}`));
