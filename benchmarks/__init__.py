"""Speed and memory compared with scikit-learn and with the read bandwidth of the machine.

    python -m benchmarks                          every benchmark: float64, 1,000,000 × 50, 5 classes
    python -m benchmarks moments bins             selected benchmarks (--list shows all names)
    python -m benchmarks --rows 100000 --repeat 9 --json result.json

Run it on an otherwise idle machine, with suffice and scikit-learn installed. Each row shows

work      what is measured; `… ×2 threads` compares suffice on two threads with suffice on one
ours      median seconds of suffice
peer      the other implementation and its median seconds; (n runs) if a slow peer ran fewer times than requested
ratio     peer ÷ ours: above 1, suffice is faster
at least  the target ratio, and whether it is reached
GB/s      bytes of the input ÷ ours
read      the machine's read bandwidth in GB/s: a native sum on two threads over 1 GiB, median of runs that alternate
          with the other runs of the row. It is the limit for work that must read its input once
of read   GB/s ÷ read
extra     peak resident memory of suffice beyond the input, also as a fraction of the input, measured in a fresh
          process that builds the input, resets the peak and does the work once

Both sides are warmed up and alternate, so that a slow moment of the machine affects both.

The JSON is one object:

suffice, python, numpy, scikit_learn    versions, as text
processor, cores                        the machine, and how many CPUs the process may use
instruction_set                         what the native core uses: plain, avx2 or avx512
rows, columns, classes, repeat          the requested size
results                                 a list, in the order of the table, of objects with
    work, peer                          text
    seconds, peer_seconds               medians
    peer_runs                           number of runs of the peer
    ratio                               peer_seconds / seconds
    at_least                            the target ratio, or null
    input_bytes                         size of the input
    bytes_per_second                    input_bytes / seconds
    read_bandwidth                      bytes per second of the native sum
    bandwidth_share                     bytes_per_second / read_bandwidth
    extra_bytes                         peak memory beyond the input; null if not measured
"""
