package io.despina.operator.source.file;

import java.io.IOException;

/**
 * Folders and files, wherever they are, and the rule that says which files of a folder are read: Spark's. Names that begin with
 * {@code .} or {@code _} are hidden, but {@code _} hides no name that has a {@code =}; so are names that end with
 * {@code ._COPYING_}, under which {@code hdfs dfs -put} writes. Only folders whose names are {@code column=value} are entered.
 *
 * @param <F> a file or a folder
 */
interface FileTree<F> {

    /** Takes what was found. */
    interface Taker<F> {
        void take(F file) throws IOException;
    }

    String name(F file);

    /** Whether it is a regular file, after links. */
    boolean isFile(F file);

    boolean isFolder(F file);

    /** Hands on everything that is in a folder, in any order. */
    void entries(F folder, Taker<F> taker) throws IOException;

    /** Hands on the files of a match of a glob: itself, or what is read of a folder. */
    default void ofMatch(F match, Taker<F> found) throws IOException {
        if (isFolder(match)) {
            ofFolder(match, found);
        } else if (isFile(match) && !isHidden(name(match))) {
            found.take(match);
        }
    }

    /** Hands on the files that are read of a folder. */
    default void ofFolder(F folder, Taker<F> found) throws IOException {
        entries(folder, entry -> {
            String name = name(entry);
            if (isHidden(name)) {
                return;
            }
            if (isFile(entry)) {
                found.take(entry);
            } else if (name.indexOf('=') >= 0 && isFolder(entry)) {
                ofFolder(entry, found);
            }
        });
    }

    /** Whether a file or a folder of that name is passed over, unless the path names it. */
    static boolean isHidden(String name) {
        return name.startsWith(".") || name.startsWith("_") && name.indexOf('=') < 0 || name.endsWith("._COPYING_");
    }
}
