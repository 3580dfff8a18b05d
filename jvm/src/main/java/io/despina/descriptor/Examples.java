package io.despina.descriptor;

import java.util.EnumMap;
import java.util.Map;

/**
 * An example of each operator type for the reference page: an entry of a graph's {@code operators}. A test puts each into a graph
 * whose streams have the columns {@link #COLUMNS}, and checks it.
 */
final class Examples {
    /** The columns of the streams that the examples read. */
    static final String COLUMNS = "ts TIMESTAMP, id BIGINT, device STRING, celsius DOUBLE, tags ARRAY<STRING>";

    private static final Map<OperatorType, String> OF = new EnumMap<>(OperatorType.class);

    static {
        OF.put(OperatorType.GENERATOR_SOURCE, """
                "readings": {
                  "type": "generator_source",
                  "rows": {
                    "type": "select",
                    "select": ["timestamp_millis(1700000000000 + id * 10) AS ts", "id % 4 AS device", "20 + id % 7 AS celsius"]
                  },
                  "count": 100000,
                  "event_time": {"column": "ts"}
                }
                """);
        OF.put(OperatorType.FILE_SOURCE, """
                "readings": {
                  "type": "file_source",
                  "path": "readings/*.csv",
                  "format": "csv",
                  "options": {"header": "true"},
                  "schema": "ts TIMESTAMP, device STRING, celsius DOUBLE",
                  "event_time": {"column": "ts", "max_delay_ms": 2000, "order_by": ["device"]}
                }
                """);
        OF.put(OperatorType.FILE_SINK, """
                "kept": {"type": "file_sink", "path": "out", "format": "json", "if_exists": "replace"}
                """);
        OF.put(OperatorType.COLLECT_SINK, """
                "rows": {"type": "collect_sink"}
                """);
        OF.put(OperatorType.CONSOLE_SINK, """
                "shown": {"type": "console_sink"}
                """);
        OF.put(OperatorType.DISCARD_SINK, """
                "dropped": {"type": "discard_sink"}
                """);
        OF.put(OperatorType.RELAY, """
                "slow": {"type": "relay", "sleep_ms": 0.5, "parallelism": 4}
                """);
        OF.put(OperatorType.PROJECT, """
                "fahrenheit": {"type": "project", "select": ["*", "celsius * 9 / 5 + 32 AS fahrenheit"]}
                """);
        OF.put(OperatorType.FILTER, """
                "hot": {"type": "filter", "where": "celsius > 90 AND device <> 'oven'"}
                """);
        OF.put(OperatorType.EXPLODE, """
                "each_tag": {"type": "explode", "of": "tags", "as": "tag"}
                """);
        OF.put(OperatorType.UNION, """
                "all": {"type": "union"}
                """);
        OF.put(OperatorType.SCAN, """
                "three_in_a_row": {
                  "type": "scan",
                  "group_by": ["device"],
                  "state": {"streak": {"initial": "0", "next": "if(celsius > 90, streak + 1, 0)"}},
                  "emit_when": "next.streak = 3",
                  "select": ["ts", "device", "celsius"]
                }
                """);
        OF.put(OperatorType.AGGREGATE, """
                "per_second": {
                  "type": "aggregate",
                  "group_by": ["device"],
                  "window": {"type": "tumbling", "size_ms": 1000},
                  "select": ["window.start AS second", "device", "avg(celsius) AS mean", "count(*) AS readings"]
                }
                """);
        OF.put(OperatorType.JOIN, """
                "compared": {
                  "type": "join",
                  "how": "left",
                  "on": "left.device = right.device",
                  "as_of": {"max_age_ms": 60000},
                  "select": ["left.ts AS ts", "left.device AS device", "left.celsius - right.celsius AS difference"]
                }
                """);
    }

    private Examples() {
    }

    /** The example of a type, which every type has. */
    static String of(OperatorType type) {
        return OF.get(type);
    }
}
