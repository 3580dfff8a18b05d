package io.despina.compare.flink.nexmark;

import io.despina.compare.Settings;
import io.despina.compare.nexmark.Runs;
import java.io.BufferedWriter;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.Table;
import org.apache.flink.table.api.TableDescriptor;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.CloseableIterator;

/** NEXMark's queries in this process: {@code SETTINGS}. Settings that begin with {@code flink.} are Flink's. */
public final class Queries {
    private static final String FLINK = "flink.";
    private static final String WINDOW_S = "10";
    /** Of windows by the wall clock, where rows are compared: few events do not last for a longer one. */
    private static final String SHORT_WINDOW_S = "0.1";

    private Queries() {
    }

    public static void main(String[] args) {
        Settings settings = Settings.read(args[0]);
        Runs.all(settings, (events, rows) -> run(settings, events, rows));
    }

    private static void run(Settings settings, long events, Path rows) throws Exception {
        Map<String, String> given = new HashMap<>();
        settings.starting(FLINK).forEach((name, value) -> given.put(name.substring(FLINK.length()), value));
        Configuration configuration = Configuration.fromMap(given);
        StreamTableEnvironment tables = StreamTableEnvironment.create(
                StreamExecutionEnvironment.createLocalEnvironment(1, configuration));
        given.forEach((name, value) -> tables.getConfig().set(name, value));
        boolean made = settings.text("from").equals("made");
        String text = Files.readString(Path.of(settings.text("tables")))
                .replace("${events}", Long.toString(events)).replace("${seed}", settings.text("seed"))
                .replace("${gap_us}", settings.text("gap_us"))
                .replace("${input}", made ? "" : settings.text("input") + "/" + events + settings.text("files"));
        for (String statement : text.split(";\\s*")) {
            tables.executeSql(statement);
        }
        Table query = tables.sqlQuery(Files.readString(Path.of(settings.text("text")))
                .replace("${window_s}", rows == null ? WINDOW_S : SHORT_WINDOW_S));
        if (rows == null) {
            query.insertInto(TableDescriptor.forConnector("blackhole").build()).execute().await();
        } else {
            write(query, rows);
        }
    }

    /** The rows that are left at the end of what may be a changelog. */
    private static void write(Table query, Path rows) throws Exception {
        List<String> names = query.getResolvedSchema().getColumnNames();
        Map<String, Integer> left = new HashMap<>();
        try (CloseableIterator<Row> found = query.execute().collect()) {
            while (found.hasNext()) {
                Row row = found.next();
                boolean more = row.getKind() == RowKind.INSERT || row.getKind() == RowKind.UPDATE_AFTER;
                left.merge(json(names, row), more ? 1 : -1, Integer::sum);
            }
        }
        try (BufferedWriter lines = Files.newBufferedWriter(rows)) {
            for (Map.Entry<String, Integer> row : left.entrySet()) {
                write(row.getKey(), row.getValue(), lines);
            }
        }
    }

    private static void write(String row, int count, BufferedWriter lines) throws IOException {
        if (count < 0) {
            throw new IllegalStateException("a row was taken back that was not put out: " + row);
        }
        for (int k = 0; k < count; k++) {
            lines.write(row);
            lines.write('\n');
        }
    }

    private static String json(List<String> names, Row row) {
        StringBuilder text = new StringBuilder("{");
        for (int k = 0; k < names.size(); k++) {
            text.append(k == 0 ? "\"" : ", \"").append(names.get(k)).append("\": ").append(json(row.getField(k)));
        }
        return text.append('}').toString();
    }

    private static String json(Object value) {
        if (value == null || value instanceof Number) {
            return value instanceof BigDecimal decimal ? decimal.toPlainString() : String.valueOf(value);
        }
        return '"' + (value instanceof LocalDateTime ? value + "Z" : value.toString()) + '"';
    }
}
