package io.despina.spark.file;

import io.despina.expr.catalyst.analysis.Scala;
import io.despina.expr.catalyst.parquet.ColonNames;
import io.despina.expr.catalyst.text.FolderText;
import io.despina.operator.disk.FileAddress;
import io.despina.operator.source.file.FolderColumns;
import io.despina.operator.source.file.HadoopFiles;
import io.despina.operator.source.file.InputFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap$;
import org.apache.spark.sql.execution.datasources.FileFormat;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.binaryfile.BinaryFileFormat;
import org.apache.spark.sql.execution.datasources.csv.CSVFileFormat;
import org.apache.spark.sql.execution.datasources.text.TextFileFormat;
import org.apache.spark.sql.execution.datasources.xml.XmlFileFormat;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The files of a {@code file_source} that get the same columns from their folders, found by the engine's classes and read by
 * Spark's.
 */
public final class SourceFiles {
    private static final String OF_GLOBS = "*?[]{}\\";
    private static final long BLOCK_BYTES = 1 << 25;
    private static final StructType LINE = new StructType().add("value", DataTypes.StringType);

    /**
     * A file.
     *
     * @param folders the names of all columns that its folders name, in the schema or not
     * @param texts   in its folders' names, one for each column of the schema
     */
    private record Found(FileStatus file, List<String> folders, List<String> texts) {
    }

    /** Where files are. */
    private record Place(FileSystem there, String path) {
        boolean isLocal() {
            return there.getUri().getScheme().equals("file");
        }

        String here() {
            return path.replaceFirst("^file:", "");
        }

        Path base() throws IOException {
            return isLocal() ? InputFiles.base(here()) : new HadoopFiles(there).base(path);
        }

        Collection<FileStatus> files() throws IOException {
            return isLocal() ? statuses(InputFiles.all(here())) : new HadoopFiles(there).found(path);
        }

        Path path(FileStatus file) {
            return isLocal() ? Path.of(file.getPath().toUri().getPath()) : Path.of(file.getPath().toString());
        }
    }

    private final SparkSession spark;
    /** That the folders give. */
    private final StructType columns;
    private final List<Found> files;
    private final List<String> header;

    private SourceFiles(SparkSession spark, StructType columns, List<Found> files, List<String> header) {
        this.spark = spark;
        this.columns = columns;
        this.files = files;
        this.header = header;
    }

    /**
     * Finds the files of a path.
     *
     * @param options of the source; those whose names begin with {@code fs.} are Hadoop's
     * @param schema  of the source, as DDL
     * @return by the columns that the folders give
     * @throws IOException if there is no file, in words for the user
     */
    public static List<SourceFiles> of(SparkSession spark, String path, Map<String, String> options, String schema)
            throws IOException {
        StructType columns = StructType.fromDDL(schema);
        Map<Set<Integer>, List<Found>> found = new LinkedHashMap<>();
        Place place = place(spark, path, options);
        Path base = place.base();
        for (FileStatus file : place.files()) {
            Path named = place.path(file);
            SortedMap<Integer, String> folders = FolderColumns.of(base, named, Arrays.asList(columns.fieldNames()));
            found.computeIfAbsent(folders.keySet(), k -> new ArrayList<>()).add(
                    new Found(file, FolderColumns.names(base, named), List.copyOf(folders.values())));
        }
        return found.entrySet().stream().map(group -> new SourceFiles(spark, new StructType(group.getKey().stream()
                .map(k -> columns.fields()[k]).toArray(StructField[]::new)), group.getValue(), List.of())).toList();
    }

    private static Place place(SparkSession spark, String path, Map<String, String> options) throws IOException {
        return new Place(new org.apache.hadoop.fs.Path(path).getFileSystem(((org.apache.spark.sql.classic.SparkSession) spark)
                .sessionState().newHadoopConfWithOptions(scala(options))), path);
    }

    /** The folder whose folders may give columns to what matches a path, as Spark's option {@code basePath} has it. */
    public static String base(SparkSession spark, String path, Map<String, String> options) throws IOException {
        Place place = place(spark, path, options);
        return place.isLocal() ? "file:" + place.base() : FileAddress.text(place.base());
    }

    /** Why Spark's streams would not read each of the files once; null if they would. */
    public static String notInStreams(List<SourceFiles> kinds) {
        List<Found> files = kinds.stream().flatMap(kind -> kind.files.stream()).toList();
        if (files.stream().anyMatch(found -> InputFiles.isHidden(found.file.getPath().getName()))) {
            return "Spark's streams pass over a file whose name begins with . or _, or ends with ._COPYING_, even if the path"
                    + " names it";
        }
        if (files.size() > 1 && files.stream().anyMatch(found -> found.file.getPath().toString().chars()
                .anyMatch(c -> OF_GLOBS.indexOf(c) >= 0))) {
            return "Spark's streams read files twice if the path of one has one of the characters " + OF_GLOBS;
        }
        return files.stream().map(Found::folders).distinct().count() < 2 ? null
                : "Spark's streams leave out files whose folders name other columns than those of other files";
    }

    private static List<FileStatus> statuses(List<Path> files) throws IOException {
        List<FileStatus> found = new ArrayList<>();
        for (Path file : files) {
            found.add(new FileStatus(Files.size(file), false, 1, BLOCK_BYTES, Files.getLastModifiedTime(file).toMillis(),
                    new org.apache.hadoop.fs.Path(file.toUri())));
        }
        return found;
    }

    private static scala.collection.immutable.Map<String, String> scala(Map<String, String> options) {
        return scala.collection.immutable.Map$.MODULE$.from(CollectionConverters.asScala(options));
    }

    /** The names of the columns that the folders give. */
    public List<String> columns() {
        return Arrays.asList(columns.fieldNames());
    }

    /**
     * Those with the same header together. A file without one is left out.
     *
     * @param options of Spark's reader of csv
     */
    public List<SourceFiles> byHeader(Map<String, String> options) throws IOException {
        Map<List<String>, List<Found>> found = new LinkedHashMap<>();
        for (Found file : files) {
            List<String> cells = new SourceFiles(spark, columns, List.of(file), header).firstCells(options);
            if (!cells.isEmpty()) {
                found.computeIfAbsent(cells, k -> new ArrayList<>()).add(file);
            }
        }
        return found.entrySet().stream().map(group -> new SourceFiles(spark, columns, group.getValue(), group.getKey())).toList();
    }

    /** Empty if there is no record. */
    private List<String> firstCells(Map<String, String> options) throws IOException {
        Map<String, String> ofCells = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        ofCells.putAll(options);
        ofCells.putAll(Map.of("header", "false", "inferSchema", "false", "enforceSchema", "true"));
        Map<String, String> ofLines = new HashMap<>();
        if (ofCells.containsKey("lineSep")) {
            ofLines.put("lineSep", ofCells.get("lineSep"));
        }
        String encoding = ofCells.getOrDefault("encoding", ofCells.getOrDefault("charset", "UTF-8"));
        Column line = functions.col("value");
        Dataset<String> lines = read("text", LINE.json(), ofLines).select(encoding.equalsIgnoreCase("UTF-8") ? line
                : functions.decode(line.cast("binary"), encoding)).as(Encoders.STRING());   // Spark's text is bytes as they are
        List<Row> first = spark.read().options(ofCells).csv(lines).takeAsList(1);
        List<String> cells = new ArrayList<>();
        for (int k = 0; !first.isEmpty() && k < first.get(0).size(); k++) {
            cells.add(first.get(0).isNullAt(k) ? "" : first.get(0).getString(k));
        }
        return cells;
    }

    /** Of files of {@link #byHeader}; else empty. */
    public List<String> header() {
        return header;
    }

    /** The URI of the first of them. */
    public String uri() {
        return files.get(0).file.getPath().toUri().toString();
    }

    /**
     * Their rows.
     *
     * @param format  as in a graph
     * @param schema  of the files, as JSON: without the columns that the folders give, which the rows have behind them
     * @param options of Spark's reader
     * @throws IOException if a folder's text is no value of its column, in words for the user
     */
    public Dataset<Row> read(String format, String schema, Map<String, String> options) throws IOException {
        Map<String, String> all = new HashMap<>(options);
        if (files.stream().anyMatch(found -> ColonNames.has(found.file.getPath()))) {
            all.putAll(ColonNames.SETTINGS);
        }
        StructType ofFile = ((StructType) DataType.fromJson(schema)).asNullable();
        return ((org.apache.spark.sql.classic.SparkSession) spark).baseRelationToDataFrame(new HadoopFsRelation(
                new FoundFiles(columns, parts()), columns, ofFile, Scala.none(), reader(format),
                CaseInsensitiveMap$.MODULE$.apply(scala(all)), spark));
    }

    private List<FoundFiles.Part> parts() throws IOException {
        String timeZone = spark.conf().get("spark.sql.session.timeZone");
        Map<List<String>, FoundFiles.Part> parts = new LinkedHashMap<>();
        for (Found found : files) {
            FoundFiles.Part part = parts.get(found.texts);
            if (part == null) {
                part = new FoundFiles.Part(values(found, timeZone), new ArrayList<>());
                parts.put(found.texts, part);
            }
            part.files().add(found.file);
        }
        return List.copyOf(parts.values());
    }

    private InternalRow values(Found found, String timeZone) throws IOException {
        try {
            return new GenericInternalRow(FolderText.values(columns, found.texts, timeZone));
        } catch (IOException e) {
            throw new IOException(found.file.getPath() + ": " + e.getMessage());
        }
    }

    private static FileFormat reader(String format) {
        return switch (format) {
            case "csv" -> new CSVFileFormat();
            case "json" -> new JsonFiles();
            case "text" -> new TextFileFormat();
            case "xml" -> new XmlFileFormat();
            case "raw" -> new BinaryFileFormat();
            default -> new ParquetFiles();
        };
    }
}
