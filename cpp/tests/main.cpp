#include <cstdlib>
#include <cstring>

#include "check.hpp"
#include "suffice/kernels.hpp"

namespace check {
std::vector<Test>& tests() {
    static std::vector<Test> all;
    return all;
}
int& failures() {
    static int count = 0;
    return count;
}
}  // namespace check

int main() {
    if (const char* isa = std::getenv("SUFFICE_ISA"); isa != nullptr && !suffice::can_run(isa)) {
        std::cout << "this machine does not support " << isa << "\n0 passed, 0 failed\n";
        return 0;
    }
    int passed = 0, failed = 0;
    for (const check::Test& test : check::tests()) {
        const int before = check::failures();
        test.run();
        const bool good = check::failures() == before;
        good ? ++passed : ++failed;
        std::cout << (good ? "ok      " : "FAILED  ") << test.name << "\n";
    }
    std::cout << "instruction set " << suffice::kernels().name << "\n"
              << passed << " passed, " << failed << " failed\n";
    return failed == 0 ? 0 : 1;
}
