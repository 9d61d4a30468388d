use std::io::{stdin, stdout, Write};

fn main() {
    let mut line = String::new();
    println!("ready");
    stdout().flush().unwrap();
    stdin().read_line(&mut line).unwrap();
    print!("heard {}", line);
    stdout().flush().unwrap();
    while stdin().read_line(&mut line).unwrap() > 0 {}
}
