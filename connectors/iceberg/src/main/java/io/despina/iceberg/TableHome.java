package io.despina.iceberg;

import io.despina.connect.LakeTable.DataFile;
import io.despina.connect.LakeTable.TableFile;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.Transaction;

/**
 * Where a table is, and who makes its versions. What {@link #current} is changes by {@link #look} and {@link #commit} alone, so
 * that a version follows upon what was looked at and on nothing else. A commit throws an {@link AnotherFirstException} if another
 * writer has made a version since.
 */
interface TableHome extends TableOperations, Closeable {

    /** A data file where a version may name it. */
    record Placed(String location, long bytes) {
    }

    /** For messages: which table it is, by the field that says so. */
    String title();

    /** For users: which version was looked at. */
    String newest();

    /** For messages: the table alone. */
    default String plainTitle() {
        return title().substring(title().lastIndexOf("` ") + 2);
    }

    /** As the engine names a file of the table. */
    String address(String location);

    /** The newest version; null if there is no table. */
    TableMetadata look() throws IOException;

    /** Begins the version behind the one that was looked at; if there is no table, the first one. */
    Transaction begin(Schema columns, PartitionSpec partitions);

    /** A new data file. */
    TableFile create(String name) throws IOException;

    /**
     * Gives the columns of a data file the ids that the table has for them, and puts it where the next version can name it. It
     * may be done again.
     */
    Placed place(DataFile file, Table of) throws IOException;

    /** These files are in the table, or will never be. */
    void forget(List<DataFile> files);
}
