package io.despina.expr;

import io.despina.expr.catalyst.CatalystCompiler;
import io.despina.expr.catalyst.CodeBytes;
import io.despina.expr.catalyst.WarmUp;
import io.despina.expr.catalyst.parquet.ParquetJoin;
import io.despina.expr.catalyst.parquet.ParquetRows;
import io.despina.expr.catalyst.parquet.ParquetRowsWriter;
import io.despina.expr.catalyst.row.SparkTypes;
import io.despina.expr.catalyst.row.StreamPackets;
import io.despina.expr.catalyst.text.CatalystInference;
import io.despina.expr.catalyst.text.CatalystText;
import io.despina.expr.catalyst.text.FolderText;
import io.despina.expr.catalyst.text.LineParser;
import io.despina.expr.catalyst.text.XmlFileRows;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Access to expressions without loading Spark early: the first call loads Catalyst. */
public final class Expressions {
    /** Most JVMs use one. */
    private static final int SETTINGS = 8;
    private static final Recent<List<Object>, CatalystCompiler> COMPILERS = new Recent<>(SETTINGS);

    /** The answers on disk; null for none. Written once, before the first job. */
    private static volatile KeptAnswers kept;

    private static volatile boolean loaded;

    private Expressions() {
    }

    /** From now on keeps answers in a folder that belongs to this user and this set of jars only. */
    public static void keep(KeptAnswers answers) {
        kept = answers;
    }

    /** Whether this JVM has begun to load Catalyst. */
    public static boolean isLoaded() {
        return loaded;
    }

    /** Whether everything that a graph of this text needs was kept at its last start. A wrong answer only costs time. */
    public static boolean isKept(String graphText) {
        return kept != null && kept.has(graphText.getBytes(StandardCharsets.UTF_8));
    }

    /** Marks the graph as kept. */
    public static void isKeptFromNowOn(String graphText) {
        if (kept != null) {
            kept.put(graphText.getBytes(StandardCharsets.UTF_8), new byte[0]);
        }
    }

    /**
     * A job's compiler. Jobs with the same settings share answers, so the next job need not wait for them.
     *
     * @param ansi          Spark's ANSI mode
     * @param timeZone      the session's time zone, for example {@code UTC} or {@code Europe/Rome}
     * @param instantMicros the value of {@code now()} in the job, in microseconds since 1970-01-01T00:00Z
     * @throws IllegalArgumentException if there is no such time zone
     */
    public static ExpressionCompiler compiler(boolean ansi, String timeZone, long instantMicros) {
        KeptAnswers answers = kept;
        return answers == null || !isZone(timeZone) ? catalyst(ansi, timeZone, instantMicros)
                : new KeepingCompiler(answers, ansi, timeZone, () -> catalyst(ansi, timeZone, instantMicros));
    }

    private static boolean isZone(String timeZone) {
        try {
            ZoneId.of(timeZone, ZoneId.SHORT_IDS);
            return true;
        } catch (DateTimeException refusedByCatalyst) {
            return false;
        }
    }

    /**
     * Log4j, with which Spark's classes begin. A thread that is interrupted while it loads that leaves it broken for this JVM, as
     * one of a resource that ends may be; so a thread loads it that nobody interrupts.
     */
    private static final class Logging {
        static {
            // no method of this class, which other threads find only when this is over
            CompletableFuture.runAsync(Expressions::loadLogging, load -> new Thread(load, "despina-logging").start()).join();
        }

        /** Returns when it is loaded. */
        static void await() {
        }
    }

    private static void loadLogging() {
        try {
            Class.forName("org.apache.logging.log4j.LogManager");
        } catch (ClassNotFoundException other) {
            return;     // a Spark that logs in another way
        }
    }

    private static CatalystCompiler catalyst(boolean ansi, String timeZone, long instantMicros) {
        List<Object> settings = List.of(ansi, timeZone);
        CatalystCompiler compiler = COMPILERS.get(settings);
        loaded = true;
        if (compiler == null) {
            Logging.await();
            compiler = new CatalystCompiler(ansi, timeZone);
            COMPILERS.put(settings, compiler);
        }
        return compiler.at(instantMicros);
    }

    /** The same, with the moment of this call as {@code now()}. */
    public static ExpressionCompiler compiler(boolean ansi, String timeZone) {
        return compiler(ansi, timeZone, TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()));
    }

    /** The reverse of {@link Compiled#code}, of this JVM or another with the same jars. */
    static <F> Compiled<F> code(byte[] bytes) {
        return CodeBytes.read(bytes);
    }

    /**
     * Starts a thread that loads and warms up Catalyst, and returns at once. The thread ends by itself.
     *
     * @param enough whether to skip the rest, because real work has arrived
     */
    public static Thread warmUp(BooleanSupplier enough) {
        return start(() -> WarmUp.run(enough));
    }

    /** The same for who will ask for much that was never asked before, which takes it longer. */
    public static Thread warmUpForEdits() {
        return start(WarmUp::forEdits);
    }

    private static Thread start(Runnable warmUp) {
        Thread thread = new Thread(warmUp, "despina-warm-up");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** @throws IllegalArgumentException if Spark refuses an option, in its words */
    public static RecordParser parser(TextOptions options) {
        Logging.await();
        return LineParser.of(options);
    }

    /** @throws IllegalArgumentException if Spark refuses an option, in its words */
    public static RecordFormatter formatter(TextOptions options) {
        return CatalystText.formatter(options);
    }

    /**
     * The rows of a parquet file.
     *
     * @param uri  of a file on this machine, or of one that Hadoop finds
     * @param from how many rows to pass over
     * @throws java.io.IOException if there is no such file, or it cannot be read as parquet, in words for the user
     */
    public static FileRows parquet(String uri, FileRows.Options options, long from) throws IOException {
        return new ParquetRows(uri, options, from);
    }

    /**
     * The rows of an XML file.
     *
     * @param name  of the file, for messages
     * @param bytes of it; closed with the rows
     * @param from  how many rows to pass over, those that are none included
     */
    public static FileRows xml(String name, InputStream bytes, FileRows.Options options, long from) throws IOException {
        return new XmlFileRows(name, bytes, options, from);
    }

    /**
     * Writes a packet of the values that texts in the names of folders have, as Spark reads them:
     * {@code __HIVE_DEFAULT_PARTITION__} is NULL, and the escapes of a STRING's or a timestamp's text, as {@code %3A}, are
     * undone.
     *
     * @param columns  of the packet
     * @param texts    one for each
     * @param timeZone of timestamps without a zone
     * @throws java.io.IOException if a text is no value of its column, in words for the user
     */
    public static void folderValues(Schema columns, List<String> texts, String timeZone, PacketWriter out) throws IOException {
        FolderText.write(columns, texts, timeZone, out);
    }

    /** The type that Spark infers of a column from its texts in the names of folders, as DDL. */
    public static String folderType(Set<String> texts, String timeZone) {
        return FolderText.inferred(texts, timeZone);
    }

    /** Writes a parquet file. @param out gets its bytes, and stays open */
    public static FileRowsWriter parquetWriter(OutputStream out, FileRowsWriter.Options options) throws IOException {
        return new ParquetRowsWriter(out, options);
    }

    /** The columns of what {@link #parquetWriter} writes, as Spark's JSON; each may be NULL. */
    public static String parquetSchema(Schema schema) {
        return ParquetRowsWriter.schema(schema);
    }

    /**
     * What {@link #parquetSchema} has made a text of, or another program that writes so.
     *
     * @throws RuntimeException if it has a type that no packet holds; the message names it
     */
    public static Schema columns(String json) {
        return SparkTypes.columns(json);
    }

    /** Writes one parquet file with the groups of rows of several, which have one schema. @param out gets it, and stays open */
    public static void joinParquet(List<StoredFile> files, OutputStream out) throws IOException {
        ParquetJoin.join(files, out);
    }

    /**
     * The schema that Spark would infer.
     *
     * @param format {@code csv} or {@code json}
     * @param lines  a record each, and a csv header if the options say so
     * @throws IllegalArgumentException if Spark refuses an option, there is no record, or one is not JSON
     */
    public static InferredRecords infer(String format, List<String> lines, Map<String, String> options, String timeZone) {
        return CatalystInference.of(format, lines, options, timeZone);
    }

    /** Packets of that schema from Arrow. */
    public static ArrowPackets arrowPackets(Schema schema) {
        return new StreamPackets(schema);
    }
}
