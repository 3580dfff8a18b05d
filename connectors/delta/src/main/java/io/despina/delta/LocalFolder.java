package io.despina.delta;

import io.despina.connect.LakeTable.TableFile;
import io.despina.connect.LocalTableFile;
import io.despina.connect.RefusedException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;

/** A folder of this machine. */
final class LocalFolder implements TableFolder {
    private final String path;
    private final Path root;

    LocalFolder(String path) {
        this.path = path;
        root = Path.of(path).toAbsolutePath();
    }

    @Override
    public LogEngine engine() {
        return LogEngine.local();
    }

    @Override
    public void mustBeSafe() {
        // a link is made by one of them
    }

    private Path commit(long version) {
        return root.resolve(LOG).resolve(TableFolder.commit(version));
    }

    @Override
    public boolean has(long version) {
        return Files.exists(commit(version));
    }

    @Override
    public Object stamp(long version) throws IOException {
        try {
            BasicFileAttributes found = Files.readAttributes(commit(version), BasicFileAttributes.class);
            return List.of(String.valueOf(found.fileKey()), found.lastModifiedTime());
        } catch (NoSuchFileException gone) {
            return null;
        }
    }

    @Override
    public String address(String of) throws RefusedException {
        URI uri = URI.create(of);
        if (uri.getScheme() != null && !uri.getScheme().equals("file")) {
            throw new RefusedException("`path` " + path + " has files elsewhere, which are not read yet: " + of, null);
        }
        return root.resolve(uri.getPath()).toString();
    }

    @Override
    public TableFile create(String name, String location) throws IOException {
        return new LocalTableFile(root.resolve(name), location, why -> Words.of(path, why));
    }
}
