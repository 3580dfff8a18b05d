package io.despina.control;

/** Graph files of the tests in this package. */
final class Graphs {

    private Graphs() {
    }

    /** Relay packets, every payload verified; unbounded if {@code count} is -1. */
    static String relay(long count) {
        return """
                {"format": 1, "name": "relay",
                 "operators": {
                   "source": {"type": "generator_source", "rows": {"type": "packets", "packet_bytes": 50, "content": "random"}%s},
                   "relay": {"type": "relay"},
                   "sink": {"type": "discard_sink", "verify": "all"}},
                 "links": [{"from": "source", "to": "relay", "fuse": false}, {"from": "relay", "to": "sink", "fuse": false}]}
                """.formatted(count < 0 ? "" : ", \"count\": " + count);
    }
}
