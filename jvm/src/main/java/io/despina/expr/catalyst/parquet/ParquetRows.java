package io.despina.expr.catalyst.parquet;

import io.despina.expr.DamagedFileException;
import io.despina.expr.FileRows;
import io.despina.expr.catalyst.analysis.Analysis;
import io.despina.expr.catalyst.analysis.Problems;
import io.despina.expr.catalyst.row.SparkTypes;
import io.despina.expr.catalyst.row.ValueWriter;
import io.despina.packet.Column;
import io.despina.packet.PacketWriter;
import java.io.Closeable;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSError;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.FileSplit;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.RebaseDateTime;
import org.apache.spark.sql.execution.datasources.DataSourceUtils;
import org.apache.spark.sql.execution.datasources.SchemaColumnConvertNotSupportedException;
import org.apache.spark.sql.execution.datasources.parquet.VectorizedParquetRecordReader;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import scala.Function2;

/**
 * The rows of a parquet file, read by Spark's own reader: columns are found by name in upper or lower case, a column that the
 * file lacks is NULL; a file of no bytes has no rows. It holds one row group's pages of the columns that are read, packed, and a
 * batch of rows.
 */
public final class ParquetRows implements FileRows {
    /** Packages of what makes rows of bytes. */
    private static final List<String> DECODERS = List.of("org.apache.parquet.", "shaded.parquet.", "org.apache.spark.",
            "org.apache.hadoop.io.compress.", "org.xerial.snappy.", "com.github.luben.zstd.", "net.jpountz.", "io.airlift.",
            "java.util.zip.");
    private static final int BATCH_ROWS = 1 << 10;
    /** What to do about types of files that are one type of ours whatever else the file says of them. */
    private static final Map<String, String> READ_AS = Map.of("DOUBLE", "; read it as DOUBLE", "FLOAT", "; read it as FLOAT",
            "BOOLEAN", "; read it as BOOLEAN");

    private final String name;
    private final ParquetSettings settings;
    /** By column: its place in a row; -1 if it is not read. */
    private final int[] places;
    private final ValueWriter[] writers;
    private final List<Function2<SpecializedGetters, Object, Object>> getters;
    /** Of this reader alone, where the file is not on this machine. */
    private final Closeable files;
    /** Null for a file of no bytes. */
    private final VectorizedParquetRecordReader reader;
    private long heldBytes;
    /** The first row of the row group that reading begins with. */
    private long firstRow;
    private Iterator<InternalRow> batch = Collections.emptyIterator();
    private InternalRow row;

    /**
     * @param uri  of the file
     * @param from how many rows to pass over
     */
    public ParquetRows(String uri, Options options, long from) throws IOException {
        name = uri.startsWith("file:") ? new Path(uri).toUri().getPath() : uri;
        settings = new ParquetSettings(options.options(), options.timeZone(), options.ansi());
        List<Column> columns = options.schema().columns();
        int[] read = IntStream.range(0, columns.size()).filter(k -> !options.unread().contains(k)).toArray();
        places = IntStream.range(0, columns.size()).map(k -> Math.max(-1, Arrays.binarySearch(read, k))).toArray();
        writers = ValueWriter.of(columns);
        getters = columns.stream().map(c -> InternalRow.getAccessor(SparkTypes.spark(c.type()), true)).toList();
        StructField[] fields = SparkTypes.struct(options.schema()).fields();
        StructType wanted = new StructType(IntStream.of(read).mapToObj(k -> fields[k]).toArray(StructField[]::new));
        Path path = new Path(uri);
        boolean local = uri.startsWith("file:");
        Configuration hadoop = settings.reading(wanted, local);
        if (local && ColonNames.has(path)) {
            ColonNames.SETTINGS.forEach(hadoop::set);
        }
        files = local ? () -> { } : reading(() -> OwnFileSystem.open(path.toUri(), hadoop));
        boolean opened = false;
        try {
            reader = reading(() -> open(path, wanted, hadoop, from));
            for (long skipped = from - firstRow; skipped > 0; skipped--) {
                if (!next()) {
                    throw new IOException(name + " has become shorter: the source was to go on at row " + from);
                }
            }
            opened = true;
        } finally {
            if (!opened) {
                close();
            }
        }
    }

    private VectorizedParquetRecordReader open(Path path, StructType wanted, Configuration hadoop, long from)
            throws Exception {
        HadoopInputFile file = HadoopInputFile.fromPath(path, hadoop);
        if (file.getLength() == 0) {
            return null;
        }
        ParquetMetadata footer;
        try (ParquetFileReader whole = ParquetFileReader.open(file)) {
            footer = whole.getFooter();
        }
        ParquetCheck.check(name, footer, wanted, hadoop);
        long start = 0;
        for (BlockMetaData group : footer.getBlocks()) {
            heldBytes = Math.max(heldBytes, group.getCompressedSize());
        }
        for (BlockMetaData group : footer.getBlocks()) {
            if (firstRow + group.getRowCount() > from) {
                break;
            }
            firstRow += group.getRowCount();
            start = group.getStartingPos() + group.getCompressedSize();
        }
        RebaseDateTime.RebaseSpec dates = DataSourceUtils.datetimeRebaseSpec(
                key -> footer.getFileMetaData().getKeyValueMetaData().get(key), settings.options().datetimeRebaseModeInRead());
        RebaseDateTime.RebaseSpec int96 = DataSourceUtils.int96RebaseSpec(
                key -> footer.getFileMetaData().getKeyValueMetaData().get(key), settings.options().int96RebaseModeInRead());
        VectorizedParquetRecordReader opened = new VectorizedParquetRecordReader(null, dates.mode().toString(), dates.timeZone(),
                int96.mode().toString(), int96.timeZone(), false, BATCH_ROWS);
        try {
            opened.initialize(new FileSplit(path, start, Math.max(0, file.getLength() - start), new String[0]),
                    new TaskAttemptContextImpl(hadoop, new TaskAttemptID()));
            opened.initBatch(new StructType(), InternalRow.empty());
            opened.enableReturningBatches();
            return opened;
        } catch (Exception e) {
            opened.close();
            throw e;
        }
    }

    /** Under the job's settings, with errors in words. */
    private <T> T reading(Callable<T> body) throws IOException {
        try {
            return Analysis.under(settings.spark(), body);
        } catch (SchemaColumnConvertNotSupportedException other) {
            throw new IOException(name + ": column `" + other.getColumn().replaceAll("^\\[|\\]$", "") + "` is "
                    + other.getPhysicalType() + " in the file, which is no " + other.getLogicalType()
                    + READ_AS.getOrDefault(other.getPhysicalType(), ""), other);
        } catch (Exception | FSError e) {
            if (e instanceof ParquetCheck.UnfitException unfit) {
                throw unfit;
            }
            if (e instanceof FileNotFoundException) {
                throw new FileNotFoundException("no such file: " + name);
            }
            String why = name + " cannot be read as parquet: " + Problems.message(e);
            throw isOfBytes(e) ? new DamagedFileException(why, e) : new IOException(why, e);
        }
    }

    /**
     * Whether the bytes are at fault, and not a disk or a network that has not given them: this is said by who has failed.
     * Clients of object stores have exceptions of their own, which their file systems wrap.
     */
    private static boolean isOfBytes(Throwable e) {
        Throwable first = e;
        while (first.getCause() != null && (!(first instanceof IOException) || isOfDecoder(first))) {
            first = first.getCause();
        }
        return first instanceof RuntimeException || isOfDecoder(first);
    }

    private static boolean isOfDecoder(Throwable e) {
        String thrower = e.getStackTrace().length == 0 ? "" : e.getStackTrace()[0].getClassName();
        return e instanceof EOFException || DECODERS.stream().anyMatch(thrower::startsWith);
    }

    @Override
    public boolean next() throws IOException {
        if (reader == null) {
            return false;
        }
        if (!batch.hasNext()) {
            ColumnarBatch found = reading(() -> reader.nextKeyValue() ? (ColumnarBatch) reader.getCurrentValue() : null);
            if (found == null) {
                return false;
            }
            batch = found.rowIterator();
        }
        row = batch.next();
        return true;
    }

    @Override
    public void write(PacketWriter out) {
        out.begin();
        for (int k = 0; k < places.length; k++) {
            Object value = places[k] < 0 || row.isNullAt(places[k]) ? null : getters.get(k).apply(row, places[k]);
            writers[k].set(out, k, value);
        }
        out.commit();
    }

    @Override
    public long heldBytes() {
        return heldBytes;
    }

    @Override
    public void close() throws IOException {
        try (files) {
            if (reader != null) {
                reader.close();
            }
        }
    }
}
