/** What a country does in a cycle. Its text is what the protocol has for it. */
interface Action {}
