"""What is done with files stage by stage: texts made of them, questions answered from these, marks, and the files of it all."""
