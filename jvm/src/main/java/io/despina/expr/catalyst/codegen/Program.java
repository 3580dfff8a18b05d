package io.despina.expr.catalyst.codegen;

import io.despina.expr.catalyst.analysis.Scala;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.catalyst.expressions.Expression;

/**
 * Bound expressions, ready to compile.
 *
 * @param inputs  the number of packets they read
 * @param stages  computed first, each into the input row's column of its index, where later expressions may read it
 * @param results computed last
 */
@SuppressWarnings("serial")     // Spark's expressions are serializable, though their base class does not say so
public record Program(int inputs, Expression[] stages, Expression[] results) implements Serializable {

    public static Program of(int inputs, List<Expression> stages, List<Expression> results) {
        return new Program(inputs, stages.toArray(Expression[]::new), results.toArray(Expression[]::new));
    }

    /** The columns of packets that it reads. */
    public List<PacketColumn> reads() {
        return reads(Stream.of(stages, results).flatMap(Arrays::stream));
    }

    public static List<PacketColumn> reads(Stream<Expression> expressions) {
        return expressions
                .map(e -> e.collect(Scala.replacing(x -> x instanceof PacketColumn ? x : null)))
                .flatMap(found -> Scala.<Expression>list(found).stream())
                .map(PacketColumn.class::cast).toList();
    }

    /**
     * Expressions that each thread copies for itself, as Spark's tasks do, because some hold formatters, buffers or the variables
     * of lambdas.
     */
    public static final class Prototype<T> {
        /** Guarded by this, like all fields; null once there are bytes. */
        private T value;
        /** Made for the first copy. */
        private byte[] bytes;

        public Prototype(T value) {
            this.value = value;
        }

        private synchronized byte[] bytes() {
            if (bytes == null) {
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                try (ObjectOutputStream objects = new ObjectOutputStream(out)) {
                    objects.writeObject(value);
                } catch (IOException e) {
                    throw new IllegalStateException("an expression cannot be copied: " + e.getMessage(), e);
                }
                bytes = out.toByteArray();
                value = null;
            }
            return bytes;
        }

        @SuppressWarnings("unchecked")
        public T thaw() {
            try (ObjectInputStream objects = new Objects(bytes())) {
                return (T) objects.readObject();
            } catch (IOException | ClassNotFoundException e) {
                throw new IllegalStateException("an expression cannot be copied: " + e.getMessage(), e);
            }
        }
    }

    /** Finds classes through our class loader; Spark's may come from one of its parents. */
    private static final class Objects extends ObjectInputStream {

        Objects(byte[] bytes) throws IOException {
            super(new ByteArrayInputStream(bytes));
        }

        @Override
        protected Class<?> resolveClass(java.io.ObjectStreamClass type) throws IOException, ClassNotFoundException {
            try {
                return Class.forName(type.getName(), false, Program.class.getClassLoader());
            } catch (ClassNotFoundException e) {
                return super.resolveClass(type);
            }
        }
    }
}
