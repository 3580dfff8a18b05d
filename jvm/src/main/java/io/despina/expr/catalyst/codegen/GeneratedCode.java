package io.despina.expr.catalyst.codegen;

import io.despina.expr.Recent;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.sql.catalyst.expressions.codegen.CodeCompiler$;
import org.apache.spark.sql.catalyst.expressions.codegen.GeneratedClass;

/** Classes compiled from generated source, with the objects that they refer to. */
public final class GeneratedCode {
    private static final String MAIN = "org.apache.spark.sql.catalyst.expressions.GeneratedClass";
    private static final int CLASSES = 1024;
    /** Equal source or equal bytes share their classes, which the JIT compiler may have compiled already. */
    private static final Recent<Object, Loaded> LOADED = new Recent<>(CLASSES);

    /** Classes by their names, and the one that makes instances. */
    private record Loaded(Map<String, byte[]> classes, GeneratedClass main) {
    }

    /** Finds generated classes itself, and all others through our class loader. */
    private static final class Loader extends ClassLoader {
        private final Map<String, byte[]> classes;

        Loader(Map<String, byte[]> classes) {
            super(GeneratedCode.class.getClassLoader());
            this.classes = classes;
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            byte[] bytes = classes.get(name);
            if (bytes == null) {
                throw new ClassNotFoundException(name);
            }
            return defineClass(name, bytes, 0, bytes.length);
        }
    }

    private final Loaded loaded;
    private final Object[] references;

    private GeneratedCode(Loaded loaded, Object[] references) {
        this.loaded = loaded;
        this.references = references;
    }

    /**
     * Compiles the body of a class.
     *
     * @param references the objects that the code refers to; {@link #instance} passes them on, so it may be called only once
     */
    static GeneratedCode compile(String body, Object[] references) throws UncompiledException {
        Loaded loaded = LOADED.get(body);
        if (loaded == null) {
            loaded = loaded(Janino.compile(MAIN, body));
            LOADED.put(body, loaded);
        }
        return new GeneratedCode(loaded, references);
    }

    private static Loaded loaded(Map<String, byte[]> classes) {
        Map<String, ByteBuffer> content = new HashMap<>();
        classes.forEach((name, bytes) -> content.put(name, ByteBuffer.wrap(bytes)));
        Loaded known = LOADED.get(content);
        if (known != null) {
            return known;
        }
        try {
            GeneratedClass main = (GeneratedClass) new Loader(classes).loadClass(MAIN).getConstructor().newInstance();
            Loaded loaded = new Loaded(classes, main);
            LOADED.put(content, loaded);
            return loaded;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("generated code without its class", e);
        }
    }

    /** A new object of the generated class, for one task. */
    public <T> T instance(Class<T> contract) {
        return contract.cast(loaded.main.generate(references));
    }

    /** The bytes of its largest method. The JIT compiler does not compile methods beyond 8,000. */
    public int largestMethod() {
        return CodeCompiler$.MODULE$.computeByteCodeStats(
                scala.jdk.javaapi.CollectionConverters.asScala(loaded.classes)).maxMethodCodeSize();
    }

    public void write(DataOutput out) throws IOException, References.NoFormException {
        out.writeInt(loaded.classes.size());
        for (Map.Entry<String, byte[]> each : new TreeMap<>(loaded.classes).entrySet()) {
            out.writeUTF(each.getKey());
            References.writeBytes(each.getValue(), out);
        }
        References.write(references, out);
    }

    public static GeneratedCode read(DataInput in) throws IOException {
        Map<String, byte[]> classes = new HashMap<>();
        for (int left = in.readInt(); left > 0; left--) {
            classes.put(in.readUTF(), References.readBytes(in));
        }
        return new GeneratedCode(loaded(classes), References.read(in));
    }
}
