/** Lines of csv, read from bytes straight into packets; a line that is not plain goes to Spark's parser instead. */
package io.despina.operator.record.csv;
