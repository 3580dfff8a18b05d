package io.despina.delta;

import io.delta.kernel.data.ColumnVector;
import io.delta.kernel.data.ColumnarBatch;
import io.delta.kernel.data.Row;
import io.delta.kernel.engine.JsonHandler;
import io.delta.kernel.expressions.Predicate;
import io.delta.kernel.types.StructType;
import io.delta.kernel.utils.CloseableIterator;
import io.delta.kernel.utils.FileStatus;
import java.io.IOException;
import java.util.Optional;

/** Reads the log of a table as Delta's kernel does, and writes a version for one of several writers alone. */
abstract class VersionJson implements JsonHandler {
    private final JsonHandler others;

    VersionJson(JsonHandler others) {
        this.others = others;
    }

    /** Makes the file of a version. @throws java.nio.file.FileAlreadyExistsException if another writer has made it */
    abstract void write(String file, CloseableIterator<Row> rows) throws IOException;

    @Override
    public ColumnarBatch parseJson(ColumnVector text, StructType schema, Optional<ColumnVector> selected) {
        return others.parseJson(text, schema, selected);
    }

    @Override
    public CloseableIterator<ColumnarBatch> readJsonFiles(CloseableIterator<FileStatus> files, StructType schema,
            Optional<Predicate> predicate) throws IOException {
        return others.readJsonFiles(files, schema, predicate);
    }

    @Override
    public void writeJsonFileAtomically(String file, CloseableIterator<Row> rows, boolean overwrite) throws IOException {
        if (overwrite) {
            others.writeJsonFileAtomically(file, rows, true);
        } else {
            write(file, rows);
        }
    }
}
