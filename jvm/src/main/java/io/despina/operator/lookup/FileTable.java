package io.despina.operator.lookup;

import static io.despina.spec.Never.NEVER;

import io.despina.operator.OperatorContext;
import io.despina.operator.order.Keys;
import io.despina.operator.source.file.FileContents;
import io.despina.operator.source.file.FileSourceOptions;
import io.despina.packet.Packet;
import io.despina.state.KeyedTable;
import java.io.IOException;

/**
 * The rows of files, read into memory when the operator opens. If the table is reloaded, the files are looked at between packets,
 * at an interval, and read again when one has another size or time of modification, or the path matches others.
 */
public final class FileTable implements Table {
    /** After so many rows the memory is charged, so that a table that is too large fails and does not fill the heap. */
    private static final int CHARGE_EVERY = 1024;

    /**
     * What is read.
     *
     * @param keys        of the files' rows
     * @param reloadNanos how often to look for changes; {@code NEVER}
     */
    public record Options(FileSourceOptions files, Keys keys, long reloadNanos) {
    }

    private final Options options;
    private OperatorContext context;
    private TableKeys keys;
    private FileContents contents;
    private KeyedTable<FoundRows> rows;
    private long lookAgain;

    public FileTable(Options options) {
        this.options = options;
    }

    @Override
    public void open(OperatorContext opened) throws Exception {
        context = opened;
        keys = new TableKeys(options.keys(), opened.instance());
        contents = new FileContents(options.files(), opened);
        readAnew();
        lookAgain = options.reloadNanos() == NEVER ? 0 : opened.clock().getAsLong() + options.reloadNanos();
    }

    private void readAnew() throws Exception {
        contents.hasChanged();      // looked at before they are read: what changes in between is read again
        rows = read();
    }

    private KeyedTable<FoundRows> read() throws Exception {
        KeyedTable<FoundRows> read = new KeyedTable<>("table", options.keys().schema(), options.keys().buckets(),
                new FoundRows.Sizes());
        long before = bytes();
        int[] count = {0};
        contents.read(row -> {
            Packet key = keys.of(row);
            if (key == null) {
                return;
            }
            int entry = read.find(key);
            if (entry == KeyedTable.NONE) {
                entry = read.add(key, new FoundRows());
            }
            read.edit(entry).add(row);
            read.recount(entry);
            if (++count[0] % CHARGE_EVERY == 0) {
                context.stateBytes(before + read.bytes());
            }
        });
        return read;
    }

    @Override
    public void refresh() throws Exception {
        if (options.reloadNanos() == NEVER || context.clock().getAsLong() < lookAgain) {
            return;
        }
        lookAgain = context.clock().getAsLong() + options.reloadNanos();
        try {
            if (contents.hasChanged()) {
                rows = read();
            }
        } catch (IOException | IllegalArgumentException bad) {
            if (context.failsOnBadRecord()) {
                throw bad;
            }
            context.warn("operator " + context.operatorId() + " goes on with the table as it was: " + bad.getMessage());
        }
    }

    @Override
    public String reload() throws Exception {
        readAnew();
        return rows.size() + " keys are read";
    }

    @Override
    public FoundRows find(Packet key) {
        int entry = rows.find(keys.like(key));
        return entry == KeyedTable.NONE ? FoundRows.NONE : rows.get(entry);
    }

    @Override
    public long bytes() {
        return rows == null ? 0 : rows.bytes();
    }

    @Override
    public void close() throws IOException {
        if (contents != null) {
            contents.close();
        }
    }
}
