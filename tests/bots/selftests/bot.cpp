#include <iostream>
#include <string>

int main() {
    std::string line;
    std::cout << "ready" << std::endl;
    std::getline(std::cin, line);
    std::cout << "heard " << line << std::endl;
    while (std::getline(std::cin, line)) { }
}
