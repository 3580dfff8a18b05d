package io.despina.catalogue;

import static io.despina.spec.Never.NEVER;

import io.despina.catalogue.field.FormatOptions;
import io.despina.descriptor.Values;
import io.despina.expr.Compiled;
import io.despina.expr.Expressions;
import io.despina.operator.Operator;
import io.despina.operator.lookup.FileTable;
import io.despina.operator.lookup.Lookup;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.source.file.FileSourceOptions;
import io.despina.packet.Schema;
import io.despina.plan.PlanningContext;
import io.despina.plan.Settings;
import io.despina.spec.Blocking;
import io.despina.spec.ControlCommand;
import io.despina.spec.FileFormat;
import io.despina.spec.Follow;
import io.despina.spec.Replay;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * {@code lookup} in files.
 *
 * @param path     an absolute path or a URI, of a file, a folder or a glob
 * @param reloadMs how often to look for changes; {@link #READ_ONCE}
 */
public record FileLookupSpec(LookupRow row, RecordFormat.Read records, String path, long reloadMs)
        implements FilesLookup {
    static final long READ_ONCE = 0;
    private static final long NANOS_PER_MS = 1_000_000;

    static RecordFormat.Read records(PlanningContext context, Values from, Schema table) {
        Settings settings = context.planning().settings();
        return new RecordFormat.Read(from.constant("format", FileFormat.class), FormatOptions.read(from), table,
                table.size(), false, Set.of(), settings.timeZone(), settings.ansi());
    }

    @Override
    public List<Compiled<?>> code() {
        return row.code();
    }

    /** Files may take any time to open, and are read again between packets. */
    @Override
    public Blocking blocking() {
        return reloadMs == READ_ONCE ? Blocking.OPENING : Blocking.ALWAYS;
    }

    @Override
    public boolean blocks() {
        return reloadMs != READ_ONCE;
    }

    /** Only where its task may block, because it looks at the files again and again. */
    @Override
    public Set<ControlCommand> commands() {
        return blocks() ? Set.of(ControlCommand.FLUSH, ControlCommand.RELOAD) : Set.of(ControlCommand.FLUSH);
    }

    @Override
    public Map<String, Object> resolved() {
        Map<String, Object> from = new LinkedHashMap<>();
        from.put("type", "file");
        from.put("path", path);
        from.put("format", records.format().word());
        from.put("options", new TreeMap<>(records.options()));     // in an order that every process has
        from.put("schema", records.schema().sql());
        from.put("columns", records.columns());
        Map<String, Object> fields = new LinkedHashMap<>(row.resolved());
        fields.put("from", from);
        return fields;
    }

    @Override
    public Operator make(InstanceContext making) {
        FileSourceOptions files = new FileSourceOptions(path, records, new FileSourceOptions.Reading(Follow.NO,
                Replay.AS_FAST_AS_POSSIBLE, false, 1), null, Expressions::parser);
        FileTable.Options table = new FileTable.Options(files, row.tableKeys(making),
                reloadMs == READ_ONCE ? NEVER : reloadMs * NANOS_PER_MS);
        return new Lookup(row.options(making), () -> new FileTable(table));
    }
}
