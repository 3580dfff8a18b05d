package io.despina.operator.connect;

import io.despina.connect.Connector;
import io.despina.connect.ConnectorSettings;
import io.despina.connect.Leftovers;
import io.despina.operator.Probe;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The jars of connectors, {@code despina-NAME.jar} beside the engine's own, wherever that is: in the Python package, or in the
 * folder of a Spark executor. Each is loaded when it is first needed, and stays for the life of the process.
 */
public final class ConnectorJars {
    /** A further folder in which they are looked for. */
    public static final String FOLDER = "despina.connectors";
    /** Those that come with the engine. */
    private static final Set<String> OURS = Set.of("kafka", "mqtt", "nats", "redis", "delta", "iceberg", "opcua",
            "zeromq");
    private static final Map<String, Connector> LOADED = new HashMap<>();

    private ConnectorJars() {
    }

    /**
     * The connector of that name.
     *
     * @throws IOException if its jar is not there; the message says how to get it
     */
    public static Connector load(String name) throws IOException {
        synchronized (LOADED) {
            Connector known = LOADED.get(name);
            if (known == null) {
                known = Classes.of(find(name)).connector();
                LOADED.put(name, known);
            }
            return known;
        }
    }

    /** Tries the server of an operator. @param settings the operator's fields */
    public static Probe probe(String name, ConnectorSettings settings, Connector.Use use) {
        return millis -> load(name).probe(settings, use, millis);
    }

    /** Looks for what an operator has left at its server, or removes it. @param settings the operator's fields */
    public static Probe leftovers(String name, ConnectorSettings settings, List<String> names, boolean removes) {
        return millis -> load(name).leftovers(settings, new Leftovers(names, removes, millis));
    }

    public static String fileName(String connector) {
        return "despina-" + connector + ".jar";
    }

    /** Its file, if it is on this machine; null if not. */
    public static Path file(String name) {
        return folders().map(folder -> folder.resolve(fileName(name))).filter(Files::isReadable).findFirst()
                .orElse(null);
    }

    private static Path find(String name) throws IOException {
        Path file = file(name);
        if (file == null) {
            throw new IOException("there is no " + fileName(name) + " in " + String.join(", ", folders().map(Path::toString)
                    .toList()) + (OURS.contains(name) ? ": install it with pip install 'despina[" + name
                    + "]'; in a checkout, run make setup" : ": copy it there; `despina jar` says where the engine's is"));
        }
        return file;
    }

    private static Stream<Path> folders() {
        String more = System.getProperty(FOLDER, "");
        Stream<Path> given = Stream.of(more.split(File.pathSeparator)).filter(each -> !each.isEmpty()).map(Path::of);
        try {
            Path own = Path.of(ConnectorJars.class.getProtectionDomain().getCodeSource().getLocation().toURI());
            return Stream.concat(given, Stream.of(own.toAbsolutePath().getParent()));
        } catch (URISyntaxException strange) {
            return given;
        }
    }

    /**
     * Sees Java, the package for connectors, and libraries that Spark has: the logging's API, and what packs data. A jar names
     * more of those, as beginnings of class names, in {@code META-INF/despina.shared}.
     */
    private static final class Classes extends URLClassLoader {
        private static final String MORE = "META-INF/despina.shared";
        private static final List<String> SHARED = List.of("io.despina.connect.", "org.slf4j.", "com.github.luben.zstd.",
                "net.jpountz.", "org.xerial.snappy.");

        private final List<String> shared = new ArrayList<>(SHARED);

        private Classes(Path jar, URL url) throws IOException {
            super("despina-" + jar.getFileName(), new URL[] {url}, ClassLoader.getPlatformClassLoader());
            try (InputStream more = getResourceAsStream(MORE)) {
                if (more != null) {
                    new String(more.readAllBytes(), StandardCharsets.US_ASCII).lines().filter(each -> !each.isBlank())
                            .forEach(shared::add);
                }
            }
        }

        static Classes of(Path jar) throws IOException {
            try {
                return new Classes(jar, jar.toUri().toURL());
            } catch (MalformedURLException impossible) {
                throw new IllegalStateException(impossible);
            }
        }

        Connector connector() throws IOException {
            return ServiceLoader.load(Connector.class, this).findFirst()
                    .orElseThrow(() -> new IOException(getName() + " names no connector in META-INF/services"));
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            return shared.stream().anyMatch(name::startsWith) ? ConnectorJars.class.getClassLoader().loadClass(name)
                    : super.loadClass(name, resolve);
        }
    }
}
