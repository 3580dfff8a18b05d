package io.despina.expr.catalyst.parquet;

import java.io.IOException;
import java.io.OutputStream;
import org.apache.parquet.io.OutputFile;
import org.apache.parquet.io.PositionOutputStream;

/** A file that is written from its beginning to its end. */
final class ForwardFile extends PositionOutputStream implements OutputFile {
    private final OutputStream out;
    private long written;

    ForwardFile(OutputStream out) {
        this.out = out;
    }

    @Override
    public long getPos() {
        return written;
    }

    @Override
    public void write(int b) throws IOException {
        out.write(b);
        written++;
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
        out.write(bytes, from, length);
        written += length;
    }

    @Override
    public PositionOutputStream create(long blockBytes) {
        return this;
    }

    @Override
    public PositionOutputStream createOrOverwrite(long blockBytes) {
        return this;
    }

    @Override
    public boolean supportsBlockSize() {
        return false;
    }

    @Override
    public long defaultBlockSize() {
        return 0;
    }
}
