package io.despina.compare;

import java.io.IOException;
import java.io.Reader;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/**
 * What one run is asked to do: a properties file in the run's folder, written by the harness. It travels inside peers' jobs,
 * so it is serializable; every process of a run sees the same file system.
 */
public final class Settings implements Serializable {
    private static final long serialVersionUID = 1;

    private final Properties values;
    private final String folder;

    private Settings(Properties values, String folder) {
        this.values = values;
        this.folder = folder;
    }

    /** Reads the file; its folder is the run's folder. */
    public static Settings read(String file) {
        Path path = Path.of(file).toAbsolutePath();
        Properties values = new Properties();
        try (Reader reader = Files.newBufferedReader(path)) {
            values.load(reader);
        } catch (IOException e) {
            throw new UncheckedIOException("settings " + path, e);
        }
        return new Settings(values, path.getParent().toString());
    }

    /** Where the processes of this run leave what they have to say. */
    public Path folder() {
        return Path.of(folder);
    }

    public String text(String key) {
        String value = values.getProperty(key);
        if (value == null) {
            throw new IllegalArgumentException("no setting " + key + " in " + folder);
        }
        return value;
    }

    public String text(String key, String otherwise) {
        return values.getProperty(key, otherwise);
    }

    public int number(String key) {
        return Integer.parseInt(text(key));
    }

    public int number(String key, int otherwise) {
        return values.containsKey(key) ? number(key) : otherwise;
    }

    public double real(String key, double otherwise) {
        return values.containsKey(key) ? Double.parseDouble(text(key)) : otherwise;
    }

    /** All settings whose names begin so. */
    public Map<String, String> starting(String prefix) {
        Map<String, String> found = new TreeMap<>();
        for (String key : values.stringPropertyNames()) {
            if (key.startsWith(prefix)) {
                found.put(key, values.getProperty(key));
            }
        }
        return found;
    }
}
