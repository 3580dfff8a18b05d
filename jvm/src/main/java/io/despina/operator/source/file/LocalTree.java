package io.despina.operator.source.file;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.PatternSyntaxException;
import org.apache.hadoop.fs.GlobExpander;

/** The files of this machine. Its globs are Hadoop's. */
final class LocalTree implements FileTree<Path> {

    /** What makes a name of a path a pattern, or a part of one. */
    static final String GLOB = "*?[{\\";

    @Override
    public String name(Path file) {
        return file.getFileName().toString();
    }

    @Override
    public boolean isFile(Path file) {
        return Files.isRegularFile(file);
    }

    @Override
    public boolean isFolder(Path file) {
        return Files.isDirectory(file);
    }

    @Override
    public void entries(Path folder, Taker<Path> taker) throws IOException {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
            for (Path entry : entries) {
                taker.take(entry);
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
    }

    /**
     * What matches a glob, as Hadoop's {@code FileSystem.globStatus} finds it; an entry may come twice.
     *
     * @param glob an absolute path with patterns
     */
    List<Path> matches(String glob) throws IOException {
        List<Path> all = new ArrayList<>();
        // Hadoop's class is loaded for alternatives only
        for (String flat : glob.indexOf('{') < 0 ? List.of(glob) : GlobExpander.expand(glob)) {
            List<String> names = Arrays.stream(flat.split("/")).filter(name -> !name.isEmpty()).toList();
            List<Path> found = List.of(Path.of(glob.startsWith("/") ? "/" : ""));
            for (int k = 0; k < names.size(); k++) {
                found = next(found, names.get(k), k == names.size() - 1);
            }
            all.addAll(found);
        }
        return all;
    }

    private List<Path> next(List<Path> folders, String name, boolean last) throws IOException {
        GlobPattern pattern = pattern(name);
        List<Path> found = new ArrayList<>();
        for (Path folder : folders) {
            if (!pattern.hasWildcard()) {
                Path entry = folder.resolve(name.replaceAll("\\\\(.)", "$1"));
                if (!last || Files.exists(entry)) {
                    found.add(entry);
                }
            } else if (isFolder(folder)) {
                entries(folder, entry -> {
                    if (pattern.matches(name(entry)) && (last || isFolder(entry))) {
                        found.add(entry);
                    }
                });
            }
        }
        return found;
    }

    private static GlobPattern pattern(String name) throws IOException {
        try {
            return new GlobPattern(name);
        } catch (PatternSyntaxException e) {
            throw new IOException("`" + name + "` is no pattern of names: " + e.getDescription());
        }
    }
}
