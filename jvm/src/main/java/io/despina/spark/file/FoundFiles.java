package io.despina.spark.file;

import io.despina.expr.catalyst.analysis.Scala;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.BasePredicate;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Predicate$;
import org.apache.spark.sql.execution.datasources.FileIndex;
import org.apache.spark.sql.execution.datasources.PartitionDirectory;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import scala.collection.immutable.Seq;

/** Files that were found before, for Spark to read instead of what it would find, with the columns that their folders give. */
final class FoundFiles implements FileIndex {

    /** Files with the same values from their folders. */
    record Part(InternalRow values, List<FileStatus> files) {
    }

    private final StructType columns;
    private final List<Part> parts;

    /** @param columns that the folders give */
    FoundFiles(StructType columns, List<Part> parts) {
        this.columns = columns;
        this.parts = parts;
    }

    private List<FileStatus> files() {
        return parts.stream().flatMap(part -> part.files.stream()).toList();
    }

    @Override
    public Seq<Path> rootPaths() {
        return Scala.seq(files().stream().map(FileStatus::getPath).toList());
    }

    /** Those whose folders' columns pass the filters. A file of no bytes has no rows, and parquet's reader would refuse it. */
    @Override
    public Seq<PartitionDirectory> listFiles(Seq<Expression> ofFolders, Seq<Expression> ofFiles) {
        List<BasePredicate> filters = new ArrayList<>();
        for (Expression filter : Scala.<Expression>list(ofFolders)) {
            filters.add(Predicate$.MODULE$.createInterpreted(filter.transformUp(Scala.<Expression>replacing(this::bound))));
        }
        return Scala.seq(parts.stream().filter(part -> filters.stream().allMatch(filter -> filter.eval(part.values)))
                .map(part -> PartitionDirectory.apply(part.values,
                        part.files.stream().filter(file -> file.getLen() > 0).toArray(FileStatus[]::new))).toList());
    }

    /** The column as a place in the folders' values; null for other expressions. */
    private Expression bound(Expression each) {
        if (!(each instanceof AttributeReference column)) {
            return null;
        }
        int place = Arrays.stream(columns.fields()).map(StructField::name).toList().indexOf(column.name());
        return new BoundReference(place, column.dataType(), true);
    }

    @Override
    public String[] inputFiles() {
        return files().stream().map(file -> file.getPath().toUri().toString()).toArray(String[]::new);
    }

    @Override
    public void refresh() {
        // a frame reads what was found when it was made, as the engine's source does when it starts
    }

    @Override
    public long sizeInBytes() {
        return files().stream().mapToLong(FileStatus::getLen).sum();
    }

    @Override
    public StructType partitionSchema() {
        return columns;
    }
}
