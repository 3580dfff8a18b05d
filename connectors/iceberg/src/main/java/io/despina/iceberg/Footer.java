package io.despina.iceberg;

import io.despina.connect.RefusedException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.SeekableInputStream;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.Util;

/**
 * The columns in a parquet file's footer. Iceberg finds a column by the id that the table has for it. Spark's code writes ids for
 * columns and fields of structs, and for none that is in a list or a map; so they are put into the footer when the file is
 * complete. Pages and their places stay as they are.
 */
final class Footer {
    /** A length and {@link #END}. */
    private static final int TAIL_BYTES = 8;
    /** Columns within columns: as deep as no table is, and no stack minds. */
    private static final int DEEPEST = 500;
    private static final byte[] END = "PAR1".getBytes(StandardCharsets.US_ASCII);

    /**
     * A column, or what is within one, as the file has it.
     *
     * @param id {@link #NONE} if it has none
     */
    record Node(String name, int id, List<Node> children) {
        static final int NONE = -1;

        /** Null if there is none. */
        Node child(int of) {
            return children.stream().filter(each -> each.id == of).findFirst().orElse(null);
        }

        /** Null if there is none. */
        Node child(String of) {
            return children.stream().filter(each -> each.name.equals(of)).findFirst().orElse(null);
        }

        boolean hasIds() {
            return id != NONE || children.stream().anyMatch(Node::hasIds);
        }
    }

    private Footer() {
    }

    /** Bytes of a file. */
    private interface Bytes {
        byte[] read(long from, int length) throws IOException;
    }

    /** @throws FileNotFoundException if the file is gone */
    static Node read(InputFile file) throws IOException {
        try (SeekableInputStream in = file.newStream()) {
            byte[] found = bytes(file.location(), file.getLength(), (from, length) -> {
                in.seek(from);
                byte[] read = in.readNBytes(length);
                if (read.length < length) {
                    throw new EOFException();
                }
                return read;
            });
            return node(decode(file.location(), found).getSchema().iterator(), 0);
        } catch (NotFoundException gone) {
            throw (IOException) new FileNotFoundException(file.location() + " is not there").initCause(gone);
        } catch (NoSuchElementException less) {
            throw damaged(file.location(), less);
        }
    }

    private static Node node(Iterator<SchemaElement> elements, int depth) {
        if (depth > DEEPEST) {
            throw new NoSuchElementException("more than " + DEEPEST + " columns within each other");
        }
        SchemaElement own = elements.next();
        List<Node> children = new ArrayList<>();
        for (int k = 0; k < own.getNum_children(); k++) {
            children.add(node(elements, depth + 1));
        }
        return new Node(own.getName(), own.isSetField_id() ? own.getField_id() : Node.NONE, List.copyOf(children));
    }

    /** Gives the columns of a file the ids that a table has for their names. The file is as safe as its disk makes it then. */
    static void stamp(Path file, Types.StructType columns) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            byte[] before = bytes(file.toString(), channel.size(), (from, length) -> read(channel, from, length));
            FileMetaData footer = decode(file.toString(), before);
            Iterator<SchemaElement> elements = footer.getSchema().iterator();
            struct(elements.next(), columns, elements);
            ByteArrayOutputStream after = new ByteArrayOutputStream();
            Util.writeFileMetaData(footer, after);
            if (Arrays.equals(after.toByteArray(), before)) {
                channel.force(true);        // an earlier try has done it: a version may have the file already
                return;
            }
            ByteBuffer tail = ByteBuffer.allocate(after.size() + TAIL_BYTES).order(ByteOrder.LITTLE_ENDIAN)
                    .put(after.toByteArray()).putInt(after.size()).put(END).flip();
            long at = channel.size() - TAIL_BYTES - before.length;
            channel.truncate(at);
            channel.position(at);
            while (tail.hasRemaining()) {
                channel.write(tail);
            }
            channel.force(true);
        }
    }

    private static void struct(SchemaElement group, Types.StructType type, Iterator<SchemaElement> elements) {
        for (int k = 0; k < group.getNum_children(); k++) {
            SchemaElement child = elements.next();
            Types.NestedField field = type.field(child.getName());
            value(child, field.fieldId(), field.type(), elements);
        }
    }

    /** Lists and maps have a repeated group between, which is no column. */
    private static void value(SchemaElement own, int id, Type type, Iterator<SchemaElement> elements) {
        own.setField_id(id);
        if (type.isStructType()) {
            struct(own, type.asStructType(), elements);
        } else if (type.isListType()) {
            elements.next();
            value(elements.next(), type.asListType().elementId(), type.asListType().elementType(), elements);
        } else if (type.isMapType()) {
            elements.next();
            value(elements.next(), type.asMapType().keyId(), type.asMapType().keyType(), elements);
            value(elements.next(), type.asMapType().valueId(), type.asMapType().valueType(), elements);
        }
    }

    private static byte[] bytes(String file, long size, Bytes of) throws IOException {
        if (size < TAIL_BYTES + END.length) {
            throw damaged(file, null);
        }
        ByteBuffer tail = ByteBuffer.wrap(of.read(size - TAIL_BYTES, TAIL_BYTES)).order(ByteOrder.LITTLE_ENDIAN);
        int length = tail.getInt();
        byte[] end = new byte[END.length];
        tail.get(end);
        if (!Arrays.equals(end, END) || length <= 0 || length > size - TAIL_BYTES - END.length) {
            throw damaged(file, null);
        }
        return of.read(size - TAIL_BYTES - length, length);
    }

    private static byte[] read(FileChannel channel, long from, int length) throws IOException {
        ByteBuffer to = ByteBuffer.allocate(length);
        while (to.hasRemaining()) {
            if (channel.read(to, from + to.position()) < 0) {
                throw new EOFException();
            }
        }
        return to.array();
    }

    private static FileMetaData decode(String file, byte[] bytes) throws RefusedException {
        try {
            return Util.readFileMetaData(new ByteArrayInputStream(bytes));
        } catch (IOException | RuntimeException why) {
            throw damaged(file, why);
        }
    }

    private static RefusedException damaged(String file, Exception why) {
        return new RefusedException(file + " is no parquet file, or is damaged", why);
    }
}
