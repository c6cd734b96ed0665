"""How fast is it, against whom, and how near to what the machine can do?

    python -m benchmarks                          every row: float64, 1,000,000 × 50, 5 classes
    python -m benchmarks moments bins             some of them (--list names them all)
    python -m benchmarks --rows 100000 --repeat 9 --json result.json

Run it on an otherwise idle machine, with suffice and scikit-learn installed. Each row shows

work      what is measured; `… ×2 threads` compares two threads of ours with one
ours      median seconds of ours
peer      who does the same work, and its median seconds; (n runs) after it where a slow peer ran fewer times than asked
ratio     peer ÷ ours: above 1 we are faster
at least  the ratio that the design asks for, and whether it is there
GB/s      bytes of the input ÷ ours
read      the machine's read bandwidth in GB/s: a native sum by two threads over 1 GiB, median of runs that take turns
          with the others of the row. It is the limit for work that must read its input once
of read   GB/s ÷ read
extra     peak resident memory of ours beyond the input, and its share of the input, measured in a fresh process that
          builds the input, resets the peak and does the work once

Both sides are warm and take turns, so that a slow moment of the machine hits both.

The JSON is one object:

suffice, python, numpy, scikit_learn    versions, as text
processor, cores                        the machine, and how many CPUs the process may use
instruction_set                         what the native core uses: plain, avx2 or avx512
rows, columns, classes, repeat          the size asked for
results                                 a list, in the order of the table, of objects with
    work, peer                          text
    seconds, peer_seconds               medians
    peer_runs                           how often the peer ran
    ratio                               peer_seconds / seconds
    at_least                            the ratio that the design asks for, or null
    input_bytes                         size of the input
    bytes_per_second                    input_bytes / seconds
    read_bandwidth                      bytes per second of the native sum
    bandwidth_share                     bytes_per_second / read_bandwidth
    extra_bytes                         peak memory beyond the input; null where it is not measured
"""
