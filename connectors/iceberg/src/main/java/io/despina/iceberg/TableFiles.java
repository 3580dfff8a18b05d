package io.despina.iceberg;

import io.despina.connect.LostException;
import io.despina.connect.RefusedException;
import io.despina.connect.StoreFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.exceptions.RuntimeIOException;
import org.apache.iceberg.hadoop.HadoopFileIO;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.PositionOutputStream;
import org.apache.iceberg.io.SeekableInputStream;

/**
 * The files that a catalog names: those in stores, and those of this machine that are below one folder. Who can write to the
 * catalog names files, so he must not reach others.
 */
final class TableFiles implements FileIO {
    private static final long serialVersionUID = 1L;
    private static final Pattern ELSEWHERE = Pattern.compile("([a-zA-Z][a-zA-Z0-9+.-]+)://.+");
    /** What others call Amazon's store; Hadoop has one that is called {@code s3a}. */
    private static final Pattern AMAZON = Pattern.compile("^s3n?://");

    private final LocalFiles local = new LocalFiles();
    /** A path's text; null for no file of this machine. */
    private final String below;
    private transient HadoopFileIO hadoop;

    /** @param below null for no file of this machine */
    TableFiles(Path below) {
        this.below = below == null ? null : below.toString();
    }

    private static boolean isElsewhere(String location) {
        Matcher uri = ELSEWHERE.matcher(location);
        if (!uri.matches() || uri.group(1).equalsIgnoreCase("file")) {
            return false;
        }
        if (!StoreFiles.isStore(location)) {
            throw new UnreadableException(new RefusedException("its file " + location + " is in none of the stores that a "
                    + "catalog may name: " + StoreFiles.NAMES, null));
        }
        return true;
    }

    /** As Hadoop calls it. */
    private static String named(String location) {
        return AMAZON.matcher(location).replaceFirst("s3a://");
    }

    private void mustBeBelow(String location) {
        if (below == null || !LocalFiles.path(location).normalize().startsWith(below)) {
            throw new UnreadableException(new RefusedException("its file " + location + " is not below " + (below == null
                    ? "any folder, for `path` of `catalog` names none" : "`path` of `catalog`, " + below), null));
        }
    }

    /** As the engine names a file that is to be read. */
    String address(String location) {
        if (isElsewhere(location)) {
            return named(location);
        }
        mustBeBelow(location);
        return LocalFiles.path(location).toString();
    }

    private FileIO of(String location) {
        if (!isElsewhere(location)) {
            mustBeBelow(location);
            return local;
        }
        if (hadoop == null) {
            hadoop = new HadoopFileIO(new Configuration());
        }
        return hadoop;
    }

    @Override
    public InputFile newInputFile(String location) {
        return new Input(location, of(location).newInputFile(named(location)));
    }

    @Override
    public OutputFile newOutputFile(String location) {
        return new Output(location, of(location).newOutputFile(named(location)));
    }

    @Override
    public void deleteFile(String location) {
        of(location).deleteFile(named(location));
    }

    /** A file that cannot be read, or must not be. Iceberg tries no other failure only once, and tells nobody of its tries. */
    static final class UnreadableException extends NotFoundException {
        private static final long serialVersionUID = 1L;

        UnreadableException(IOException why) {
            super(why, "%s", why.getMessage());
        }
    }

    /** The catalog compares names. */
    private record Input(String location, InputFile file) implements InputFile {

        @Override
        public long getLength() {
            return file.getLength();
        }

        @Override
        public SeekableInputStream newStream() {
            try {
                return file.newStream();
            } catch (RuntimeIOException why) {
                throw new UnreadableException(new LostException(why.getMessage(), why));
            }
        }

        @Override
        public boolean exists() {
            return file.exists();
        }
    }

    private record Output(String location, OutputFile file) implements OutputFile {

        @Override
        public PositionOutputStream create() {
            return file.create();
        }

        @Override
        public PositionOutputStream createOrOverwrite() {
            return file.createOrOverwrite();
        }

        @Override
        public InputFile toInputFile() {
            return new Input(location, file.toInputFile());
        }
    }
}
