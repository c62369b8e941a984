"""The report of a sweep of cutsdf_irregularity.

reading     the files of a run, checked, as rows
comparison  the one rule by which two rows may be divided
study       rows by what was measured, each with its reference
arms        names, colours and marks of the arms
paper       the paper's own figures
document    sections, tables and figures, independent of their format
figures     the figures
sections    the sections of the report, but for
claims      the paper's claims, each with the rule of its verdict
writing     HTML and Markdown
"""
