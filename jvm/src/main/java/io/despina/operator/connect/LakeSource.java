package io.despina.operator.connect;

import io.despina.connect.LakeReader;
import io.despina.connect.LakeReader.VersionFile;
import io.despina.connect.LakeReader.VersionFiles;
import io.despina.connect.LostException;
import io.despina.connect.RefusedException;
import io.despina.expr.DamagedFileException;
import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.operator.Retries;
import io.despina.operator.Source;
import io.despina.operator.source.time.Watermarks;
import io.despina.packet.Packet;
import io.despina.state.NamedEntries;
import io.despina.state.SnapshotException;
import io.despina.state.State;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Reads a table of files: the rows of one version, and then, if it follows the table, those that later versions add, version by
 * version. A snapshot has the version and its place in the version's files.
 */
public final class LakeSource implements Source {
    /** Bytes of packets after which {@link #produce} returns. */
    private static final int BATCH_BYTES = 1 << 16;
    /** Opening a file takes about as long as reading so many bytes. */
    private static final int OPENING_BYTES = 1 << 12;
    /** Of the objects around a file's path. */
    private static final int FILE_BYTES = 300;

    private final LakeSourceOptions options;
    private final NamedEntries state = new NamedEntries("place", () -> place().texts());
    private OperatorContext context;
    private Output out;
    /** Null without event time. */
    private Watermarks watermarks;
    private LakeReader table;
    private Retries retries;
    /** Before the file that is read, or the next one. */
    private LakePlace place;
    /** Of the version that is read; null as long as they are not known. */
    private VersionFiles version;
    private long versionBytes;
    /** Null between two files. */
    private LakeRows rows;
    /** Whether this call of {@link #produce} has sent a packet. */
    private boolean wrote;
    private long stateBytes;

    public LakeSource(LakeSourceOptions options) {
        this.options = options;
    }

    @Override
    public void open(OperatorContext opened) throws Exception {
        context = opened;
        out = context.output(0);
        watermarks = options.eventTime() == null ? null : new Watermarks(options.eventTime(), out, context.clock());
        retries = new Retries(context, options.reading().retryMillis(), Retries.Waiting.REAL);
        table = options.connector().load().lake(options.settings().with("schema", options.schemaText().apply(options.schema())));
        if (!context.isRestored()) {
            start();
        }
    }

    /** Looks at the table, so that what is wrong with it is told now; and what is the newest version is so for good. */
    private void start() throws Exception {
        long first = ask(table::first);
        VersionFiles all = ask(() -> table.all(first));
        place = LakePlace.before(table.identity(), first, true);
        if (options.reading().onlyNew()) {
            place = place.nextVersion();
        } else {
            take(all);
        }
    }

    /** What is asked of the table. */
    private interface Asking<T> {
        T ask() throws IOException;
    }

    private <T> T ask(Asking<T> what) throws IOException, InterruptedException {
        while (true) {
            try {
                T found = what.ask();
                retries.reset();
                return found;
            } catch (LostException why) {
                retries.tell(why.getMessage());
                retries.await(0, why.getMessage());
            }
        }
    }

    private void take(VersionFiles found) {
        version = found;
        versionBytes = found.files().stream().mapToLong(each -> FILE_BYTES + each.path().length()).sum();
    }

    @Override
    public boolean blocks() {
        return true;
    }

    @Override
    public long produce(long now) throws Exception {
        out.due(now);
        wrote = false;
        long again = read(now);
        if (watermarks != null) {
            watermarks.batchDone(now, wrote);
            again = watermarks.waiting(now, again);
        }
        long held = versionBytes + (rows == null ? 0 : rows.heldBytes());
        if (held != stateBytes) {
            stateBytes = held;
            context.stateBytes(held);
        }
        return again;
    }

    private long read(long now) throws Exception {
        for (int budget = BATCH_BYTES; budget > 0 && context.hasRoom();) {
            if (rows != null) {
                budget -= tried(this::nextRow);
            } else if (version == null) {
                VersionFiles added = added();
                if (added == null) {
                    return now + TimeUnit.MILLISECONDS.toNanos(options.reading().pollMillis());
                }
                take(added);
            } else if (place.files() < version.files().size()) {
                budget -= tried(this::openFile);
            } else if (options.reading().follow()) {
                place = place.nextVersion();
                version = null;
                versionBytes = 0;
            } else {
                return ENDED;
            }
        }
        return now;
    }

    /** Work on a file. */
    private interface Step {
        /** @return what it costs, in bytes */
        int run() throws IOException;
    }

    /** Takes a step, or waits a moment where the file cannot be read just now: it is opened again where the source was. */
    private int tried(Step step) throws IOException, InterruptedException {
        try {
            return step.run();
        } catch (IOException why) {
            if (!passes(why)) {
                throw why;
            }
            place = place();
            closeFile();
            retries.tell(why.getMessage());
            retries.await(0, why.getMessage());
            return OPENING_BYTES;
        }
    }

    /** Whether a disk or a network has failed, and not who reads what they gave. */
    private static boolean passes(IOException why) {
        if (why instanceof LostException) {
            return true;
        }
        Throwable cause = why instanceof RefusedException || why instanceof DamagedFileException ? null : why.getCause();
        while (cause != null && (!(cause instanceof IOException) || cause instanceof FileNotFoundException)) {
            cause = cause.getCause();
        }
        return cause != null;
    }

    private int nextRow() throws IOException {
        boolean found = rows.next();
        retries.reset();
        if (!found) {
            closeFile();
            place = place.nextFile();
            return 1;
        }
        Packet packet = rows.packet();
        if (packet == null) {
            return 1;
        }
        if (watermarks != null) {
            watermarks.before(packet);
        }
        out.writer().copy(packet);
        wrote = true;
        return packet.size();
    }

    /** Null if there is no further version yet. */
    private VersionFiles added() throws IOException, InterruptedException {
        VersionFiles found = ask(() -> place.whole() ? table.all(place.version()) : table.added(place.version()));
        if (found != null) {
            mustBeTheSame();
        }
        if (found == null || place.whole() || !found.changes()) {
            return found;
        }
        if (!options.reading().passesOver()) {
            throw new IOException(name() + " has changed or removed rows of earlier versions: only rows that are added can be "
                    + "followed. With \"on_change\": \"skip\" such a version is passed over");
        }
        context.warn(name() + " has changed or removed rows of earlier versions, and is passed over");
        return new VersionFiles(List.of(), true);
    }

    private void mustBeTheSame() throws IOException {
        if (place.table().isEmpty()) {
            place = place.in(table.identity());
        } else if (!place.table().equals(table.identity())) {
            throw new IOException(title() + " was dropped and made again since the job read it, so its versions are others. A "
                    + "new state folder begins with the table that is there");
        }
    }

    private String title() {
        boolean isFolder = !options.settings().has("table");
        return isFolder ? "`path` " + options.settings().text("path") : "`table` " + options.settings().text("table");
    }

    private String name() {
        return "version " + place.version() + " of " + title();
    }

    private int openFile() throws IOException {
        VersionFile file = version.files().get(place.files());
        if (place.rows() > 0 && !file.path().equals(place.file())) {
            throw otherFiles();
        }
        try {
            rows = new LakeRows(options, file, place.rows());
        } catch (FileNotFoundException gone) {
            throw new IOException(name() + " has lost a file, perhaps to a clean-up, as VACUUM: " + gone.getMessage(), gone);
        }
        place = place.within(file.path(), place.rows());
        return OPENING_BYTES;
    }

    private void closeFile() throws IOException {
        LakeRows ended = rows;
        rows = null;
        if (ended != null) {
            ended.close();
        }
    }

    private IOException otherFiles() {
        return new SnapshotException(name() + " has other files than when the job read it");
    }

    private LakePlace place() {
        return rows == null || rows.row() == 0 ? place : place.within(place.file(), rows.row());
    }

    @Override
    public List<State> states() {
        return watermarks == null ? List.of(state) : List.of(state, watermarks.state());
    }

    @Override
    public void restored() throws Exception {
        Map<String, String> found = state.restored().get(0);
        place = LakePlace.of(found);
        if (place.whole() || place.files() > 0 || place.rows() > 0) {
            VersionFiles files = added();
            if (files == null || place.files() > files.files().size()) {
                throw otherFiles();
            }
            take(files);
        }
        if (watermarks != null) {
            watermarks.restored();
        }
    }

    @Override
    public void close() throws IOException {
        closeFile();
        if (table != null) {
            table.close();
        }
    }
}
