package io.despina.spark.frame;

import io.despina.expr.PacketFold;
import io.despina.expr.catalyst.analysis.FirstAndLast;
import io.despina.expr.catalyst.analysis.JobInstant;
import io.despina.expr.catalyst.analysis.NamedText;
import io.despina.expr.catalyst.row.SortedGroups;
import io.despina.operator.sink.file.OutputLock;
import io.despina.spark.file.SourceFiles;
import io.despina.spark.fold.OperatorFold;
import io.despina.spark.fold.OperatorText;
import io.despina.spark.fold.StreamedGroups;
import io.despina.spark.fold.WrittenLetters;
import io.despina.spark.function.SparkPython;
import io.despina.spark.sink.JobWriter;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.parser.ParseException;

/**
 * The façade that Python's Spark back end sees: what the translation of a graph to DataFrames needs of the JVM. Python names no
 * other class of ours but {@code Gateway} and the main classes.
 */
public final class Frames {
    private Frames() {
    }

    /**
     * Operators that work in event order, for {@link #folded}.
     *
     * @param options   as for the gateway's {@code check}
     * @param operators their ids, or {@code id.port} for the rows of another port than {@code out}
     */
    public static PacketFold fold(String graphText, String fileName, String options, List<String> operators) {
        return new OperatorFold(graphText, fileName, options, operators);
    }

    /** The rows of each operator of a fold over a batch; see {@link SortedGroups#fold}. */
    public static List<Dataset<Row>> folded(Dataset<Row> rows, String group, List<String> order, PacketFold fold) {
        return SortedGroups.fold(rows, group, order, fold);
    }

    /** The rows of an operator that takes packets one by one in any order; see {@link SortedGroups#each}. */
    public static Dataset<Row> each(Dataset<Row> rows, PacketFold operator) {
        return SortedGroups.each(rows, operator);
    }

    /**
     * Bad records of an operator as its port {@code errors} has them.
     *
     * @param bad the columns of {@link WrittenLetters}
     */
    public static Dataset<Row> letters(Dataset<Row> bad, String operator) {
        return SortedGroups.each(bad, new WrittenLetters(operator, bad.schema().json()));
    }

    /** An operator for {@link #streamed}, as {@link #fold} has it. */
    public static OperatorText operator(String graphText, String fileName, String options, String operator) {
        return new OperatorText(graphText, fileName, options, operator);
    }

    /** The rows of an operator over a stream; see {@link StreamedGroups#fold}. */
    public static Dataset<Row> streamed(Dataset<Row> rows, String time, OperatorText operator) {
        return StreamedGroups.fold(rows, time, operator);
    }

    /**
     * The rows of an operator that calls a Python function, over a stream.
     *
     * @param command  as {@link SparkPython} has it
     * @param included likewise
     */
    public static Dataset<Row> called(Dataset<Row> rows, OperatorText operator, String command, List<String> included) {
        return StreamedGroups.call(rows, operator, new SparkPython(command, included));
    }

    /** The rows of a query over frames; see {@link FrameQuery#of}. */
    public static Dataset<Row> query(SparkSession session, String sql, Map<String, Dataset<Row>> frames)
            throws ParseException {
        return FrameQuery.of(session, sql, frames);
    }

    /** The same rows as a frame of {@code session}. The plan was analysed, and keeps its meaning whatever is set there. */
    public static Dataset<Row> inSession(SparkSession session, Dataset<Row> rows) {
        return org.apache.spark.sql.classic.Dataset.ofRows((org.apache.spark.sql.classic.SparkSession) session,
                ((org.apache.spark.sql.classic.Dataset<Row>) rows).queryExecution().analyzed());
    }

    /** All settings of a session in one text; see {@link SessionSettings#of}. */
    public static String settings(SparkSession session) {
        return SessionSettings.of(session);
    }

    /** The rows with one instant in place of each use of the current time; see {@link JobInstant#at}. */
    public static Dataset<Row> at(Dataset<Row> rows, long micros) {
        return JobInstant.at(rows, micros);
    }

    /** Whether the aggregate that the frame ends with has one of distinct values, which Spark does not do in streams. */
    public static boolean aggregatesDistinct(Dataset<Row> rows) {
        return DistinctValues.areAggregated(rows);
    }

    /** The rows of an aggregate whose {@code first} and {@code last} go by event order; see {@link FirstAndLast#by}. */
    public static Dataset<Row> firstAndLast(Dataset<Row> rows, List<String> order) {
        return FirstAndLast.by(rows, order);
    }

    /** Csv lines without the columns beyond the schema; see {@link CsvExtra#ignore}. */
    public static Dataset<Row> withoutExtra(Dataset<Row> read, String corrupt, Map<String, String> options, boolean any) {
        return CsvExtra.ignore(read, corrupt, options, any);
    }

    /** The files of a {@code file_source}; see {@link SourceFiles#of}. */
    public static List<SourceFiles> files(SparkSession session, String path, Map<String, String> options, String schema)
            throws IOException {
        return SourceFiles.of(session, path, options, schema);
    }

    /** Why Spark's streams would not read each of the files once; null if they would. */
    public static String notInStreams(List<SourceFiles> files) {
        return SourceFiles.notInStreams(files);
    }

    /** The folder whose folders give columns to what a path matches; see {@link SourceFiles#base}. */
    public static String baseOf(SparkSession session, String path, Map<String, String> options) throws IOException {
        return SourceFiles.base(session, path, options);
    }

    /** A text of a select list in which {@code *} leaves columns out; see {@link StarText#without}. */
    public static String starWithout(String text, List<String> columns) {
        return StarText.without(text, columns);
    }

    /** A text {@code expr AS name}, divided. */
    public static NamedText named(String text) {
        return NamedText.of(text);
    }

    /** Whether a job writes to the output that this hidden file locks. */
    public static boolean isHeld(String lock) throws IOException {
        return OutputLock.isHeld(lock);
    }

    /** Writes the rows of a stream one by one to a source of a running job; see {@link JobWriter#of}. */
    public static JobWriter liveWriter(Map<String, String> options) {
        return JobWriter.of(options);
    }
}
