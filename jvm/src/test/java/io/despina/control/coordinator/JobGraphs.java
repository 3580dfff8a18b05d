package io.despina.control.coordinator;

/** Graph files of the tests in this package. */
public final class JobGraphs {

    private JobGraphs() {
    }

    /** Relay packets, every payload verified; unbounded if {@code count} is -1. */
    public static String relay(long count) {
        return relay(count < 0 ? "" : ", \"count\": " + count);
    }

    /** The same without end, and few: the processors are left to what a test waits for. */
    public static String endless() {
        return relay(", \"rate_per_s\": 5000");
    }

    private static String relay(String fields) {
        return """
                {"format": 1, "name": "relay",
                 "operators": {
                   "source": {"type": "generator_source", "rows": {"type": "packets", "packet_bytes": 50, "content": "random"}%s},
                   "relay": {"type": "relay"},
                   "sink": {"type": "discard_sink", "verify": "all"}},
                 "links": [{"from": "source", "to": "relay", "fuse": false}, {"from": "relay", "to": "sink", "fuse": false}]}
                """.formatted(fields);
    }

    /** {@code count} rows of a generator through {@code select}, collected. */
    static String collect(String settings, long count, String... select) {
        return """
                {"format": 1, "name": "collected", "settings": %s,
                 "operators": {
                   "source": {"type": "generator_source", "rows": {"type": "select", "select": ["id"]}, "count": %d},
                   "made": {"type": "project", "select": [%s]},
                   "rows": {"type": "collect_sink"}},
                 "links": [{"from": "source", "to": "made"}, {"from": "made", "to": "rows"}]}
                """.formatted(settings, count, "\"" + String.join("\", \"", select) + "\"");
    }
}
