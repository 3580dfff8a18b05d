package io.despina.operator.source.file;

import io.despina.operator.disk.FileAddress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** The columns that a file has from the names of its folders: {@code day} in {@code in/day=2024-03-01/a.csv}. */
public final class FolderColumns {
    private static final Pattern ESCAPE = Pattern.compile("%([0-9a-fA-F]{2})");
    private static final int HEX = 16;

    private FolderColumns() {
    }

    /**
     * The texts behind the {@code =} in the folders between {@code base} and the file, escaped as they are written, by the
     * ordinal of the column that each names in upper or lower case. Names that are no columns are left out.
     *
     * @throws IOException if a folder has no name or no value, two give one column, or no column is left for the file
     */
    public static SortedMap<Integer, String> of(Path base, Path file, List<String> columns) throws IOException {
        SortedMap<Integer, String> found = new TreeMap<>();
        for (String folder : folders(base, file)) {
            int sign = sign(file, folder);
            int column = indexOf(unescaped(folder.substring(0, sign)), columns);
            if (column >= 0 && found.put(column, folder.substring(sign + 1)) != null) {
                throw new IOException(FileAddress.text(file) + ": two of its folders give the column `" + columns.get(column)
                        + "`");
            }
        }
        if (found.size() == columns.size()) {
            throw new IOException(FileAddress.text(file) + ": every column of the schema comes from the names of its folders; add"
                    + " one that the file has");
        }
        return found;
    }

    /** The names before the {@code =} in the folders between {@code base} and the file. */
    public static List<String> names(Path base, Path file) {
        return folders(base, file).stream().map(folder -> folder.substring(0, folder.indexOf('='))).toList();
    }

    /**
     * The texts behind the {@code =} in those folders, by the names before it, whose escapes are undone.
     *
     * @throws IOException if a folder has no name or no value
     */
    public static Map<String, String> texts(Path base, Path file) throws IOException {
        Map<String, String> found = new LinkedHashMap<>();
        for (String folder : folders(base, file)) {
            int sign = sign(file, folder);
            found.put(unescaped(folder.substring(0, sign)), folder.substring(sign + 1));
        }
        return found;
    }

    private static int sign(Path file, String folder) throws IOException {
        int sign = folder.indexOf('=');
        if (sign == 0 || sign == folder.length() - 1) {
            throw new IOException(FileAddress.text(file) + ": the folder `" + folder + "` has no "
                    + (sign == 0 ? "name before" : "value behind") + " its `=`");
        }
        return sign;
    }

    private static List<String> folders(Path base, Path file) {
        return IntStream.range(base.getNameCount(), file.getNameCount() - 1).mapToObj(k -> file.getName(k).toString())
                .filter(folder -> folder.indexOf('=') >= 0).toList();
    }

    private static int indexOf(String name, List<String> columns) {
        return columns.stream().map(column -> column.toLowerCase(Locale.ROOT)).toList().indexOf(name.toLowerCase(Locale.ROOT));
    }

    private static String unescaped(String name) {
        return ESCAPE.matcher(name).replaceAll(found ->
                Matcher.quoteReplacement(String.valueOf((char) Integer.parseInt(found.group(1), HEX))));
    }
}
