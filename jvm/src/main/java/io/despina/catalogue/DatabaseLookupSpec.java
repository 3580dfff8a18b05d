package io.despina.catalogue;

import io.despina.catalogue.field.DatabaseFields;
import io.despina.expr.Compiled;
import io.despina.operator.Operator;
import io.despina.operator.Probe;
import io.despina.operator.database.DatabaseTable;
import io.despina.operator.database.TableProbe;
import io.despina.operator.lookup.Lookup;
import io.despina.plan.Target;
import java.util.List;
import java.util.Map;

/**
 * {@code lookup} in a database.
 *
 * @param table as it stands behind FROM
 * @param most  rows in the cache; 0 without one
 * @param ttlMs how long they are good
 */
public record DatabaseLookupSpec(LookupRow row, DatabaseFields database, String table, long most, long ttlMs)
        implements ExecutableSpec {
    private static final long NANOS_PER_MS = 1_000_000;

    @Override
    public boolean passesOn() {
        return true;
    }

    @Override
    public List<Compiled<?>> code() {
        return row.code();
    }

    @Override
    public boolean blocks() {
        return true;
    }

    @Override
    public String userClass() {
        return database.driver();
    }

    @Override
    public boolean keepsAll() {
        return false;
    }

    @Override
    public List<SparkGap> sparkGaps(Target target) {
        return List.of(new SparkGap("a database is asked packet by packet by the engine alone",
                "write the table to a file, and look it up there"));
    }

    @Override
    public Map<String, Object> resolved() {
        return row.resolved();
    }

    @Override
    public Probe probe(InstanceContext making) {
        return new TableProbe(options(making));
    }

    private DatabaseTable.Options options(InstanceContext making) {
        List<String> keys = row.keys().columns().stream().map(k -> row.table().column(k).name()).toList();
        return new DatabaseTable.Options(database.options(making.around().user().classes(),
                making.plan().settings().timeZone()), table, row.table(), keys, most, ttlMs * NANOS_PER_MS);
    }

    @Override
    public Operator make(InstanceContext making) {
        DatabaseTable.Options options = options(making);
        return new Lookup(row.options(making), () -> new DatabaseTable(options));
    }
}
